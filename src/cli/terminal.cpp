#include "cli/terminal.h"

#include "base/json.h"
#include "base/utf8.h"

namespace fermata::cli {
namespace {

std::string painted(bool on, Colour colour, std::string_view text) {
  constexpr std::string_view codes[] = {"", "1", "2", "31", "32", "33", "34"};
  if (!on || colour == Colour::plain) return std::string(text);
  std::string out = "\x1b[";
  out += codes[static_cast<int>(colour)];
  out += 'm';
  out += text;
  return out += "\x1b[0m";
}

std::string position_of(const Finding& finding) {
  if (finding.line > 0)
    return std::to_string(finding.line) + ":" + std::to_string(finding.column) + " ";
  return finding.path.empty() ? "" : finding.path + " ";
}

}  // namespace

Exit exit_of(const Error& error) {
  if (error.code == ErrorCode::usage || error.code == ErrorCode::invalid_setting)
    return Exit::usage;
  int status = http_status_of(error.code);
  if (status == 404) return Exit::not_found;
  return status >= 500 || status == 429 ? Exit::unavailable : Exit::refused;
}

void Terminal::line(std::string_view text) const {
  std::string whole(text);
  out_(whole += '\n');
}

void Terminal::value(const Value& value) const {
  line(json ? to_json(value) : to_pretty_json(value));
}

namespace {

/// Who types commands is told the command; the hints of the table name requests.
std::string_view next_step(ErrorCode code) {
  switch (code) {
    case ErrorCode::execution_not_found: return "List them with `fermata ps`.";
    case ErrorCode::wait_not_found: return "List them with `fermata waits`.";
    case ErrorCode::approval_not_found: return "List them with `fermata approve`.";
    case ErrorCode::contact_not_found: return "List them with `fermata contacts`.";
    case ErrorCode::job_not_found: return "List them with `fermata jobs`.";
    case ErrorCode::schedule_not_found: return "List them with `fermata schedule ls`.";
    case ErrorCode::key_not_found: return "List them with `fermata keys list`.";
    case ErrorCode::credential_not_found: return "List them with `fermata credentials list`.";
    case ErrorCode::unauthorized:
      return "Put a key into FERMATA_KEY; `fermata keys create` makes one.";
    default: return hint_of(code);
  }
}

}  // namespace

Exit Terminal::fail(const Error& error) const {
  Exit exit = exit_of(error);
  std::string text = paint_error(Colour::red, "error") + ": " + error.message;
  if (text.back() != '\n') text += '\n';
  for (const Finding& finding : error.findings)
    text += "  " + position_of(finding) + finding.message + '\n';
  std::string_view hint = next_step(error.code);
  // The messages of failed reads and writes say themselves what to do.
  if (!hint.empty() && error.code != ErrorCode::io_failed)
    text += paint_error(Colour::dim, "next") + ": " + std::string(hint) + '\n';
  err_(text);
  return exit;
}

std::string Terminal::paint(Colour colour, std::string_view text) const {
  return painted(colour_out, colour, text);
}

std::string Terminal::paint_error(Colour colour, std::string_view text) const {
  return painted(colour_err, colour, text);
}

Colour colour_of_status(std::string_view status) {
  if (status == "completed" || status == "success") return Colour::green;
  if (status == "failed" || status == "timed_out") return Colour::red;
  if (status == "waiting" || status == "paused") return Colour::yellow;
  if (status == "running") return Colour::blue;
  if (status == "cancelled" || status == "skipped") return Colour::dim;
  return Colour::plain;
}

size_t width_of(std::string_view text) { return is_utf8(text) ? utf8_length(text) : text.size(); }

void Table::print(const Terminal& terminal, int status_column) const {
  std::vector<size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  bool head = true;
  for (const auto& row : rows_) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) {
      Colour colour = head                                   ? Colour::bold
                      : static_cast<int>(i) == status_column ? colour_of_status(row[i])
                                                             : Colour::plain;
      text += terminal.paint(colour, row[i]);
      if (i + 1 < row.size()) text.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    terminal.line(text);
    head = false;
  }
}

std::string duration_text(int64_t ms) {
  if (ms < 1'000) return std::to_string(ms) + " ms";
  if (ms < 60'000) {
    std::string tenths = std::to_string(ms / 100 % 10);
    return std::to_string(ms / 1'000) + (tenths == "0" ? "" : "." + tenths) + " s";
  }
  int64_t minutes = ms / 60'000;
  if (minutes < 60)
    return std::to_string(minutes) + " min " + std::to_string(ms / 1'000 % 60) + " s";
  int64_t hours = minutes / 60;
  if (hours < 48) return std::to_string(hours) + " h " + std::to_string(minutes % 60) + " min";
  return std::to_string(hours / 24) + " days " + std::to_string(hours % 24) + " h";
}

}  // namespace fermata::cli
