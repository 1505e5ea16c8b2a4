#include "cli/progress.h"

#include "base/json.h"
#include "base/time.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

/// 10:00:00.123 of an RFC 3339 text.
std::string time_of_day(const std::string& at) {
  size_t begin = at.find('T');
  if (begin == std::string::npos || at.size() < begin + 13) return at;
  return at.substr(begin + 1, 12);
}

std::string until_remark(const std::string& until, const std::string& at) {
  std::optional<Instant> then = parse_rfc3339(until);
  std::optional<Instant> now = parse_rfc3339(at);
  std::string text = "until " + until;
  if (then && now && *then > *now) text += " (" + duration_text(then->ms - now->ms) + ")";
  return text;
}

std::string error_remark(const Value& error) {
  if (!error.is_object()) return error.is_null() ? "" : to_text(error);
  return text_at(error, "code") + ": " + text_at(error, "message");
}

/// `Each[2]` for a node inside branch 2 of a split.
std::string place_of(const Value& record) {
  std::string place = text_at(record, "node_name");
  const Value& lineage = record.get("lineage");
  if (!lineage.is_array() || lineage.size() == 0) return place;
  place += '[';
  for (size_t i = 0; i < lineage.size(); ++i) {
    const Value& frame = lineage.items()[i];
    const Value* index = frame.find("item_index");
    if (i > 0) place += '.';
    place += to_text(index != nullptr ? *index : frame);
  }
  return place + "]";
}

}  // namespace

std::string bar(uint64_t done, uint64_t total, size_t columns) {
  size_t filled = total == 0 ? columns : static_cast<size_t>(done * columns / total);
  filled = std::min(filled, columns);
  return std::string(filled, '#') + std::string(columns - filled, '-');
}

std::string node_remark(const Value& record) {
  const Value& details = record.get("details");
  if (!details.is_object()) return "";
  std::string at = text_at(record, "at");
  if (details.find("error") != nullptr) {
    std::string remark = error_remark(details.get("error"));
    std::string retry_at = text_at(details, "retry_at");
    return retry_at.empty() ? remark
                            : remark + "; again at " + until_remark(retry_at, at).substr(6);
  }
  for (std::string_view key : {"resume_at", "retry_at", "until"}) {
    std::string until = text_at(details, key);
    if (!until.empty() && text_at(record, "status") == "waiting") return until_remark(until, at);
  }
  if (details.find("expected") != nullptr)
    return text_at(details, "arrived") + " of " + text_at(details, "expected") + " arrived";
  if (details.find("total") != nullptr && details.find("processed") != nullptr)
    return text_at(details, "processed") + " of " + text_at(details, "total") + " items";
  uint64_t ms = number_at(details, "duration_ms");
  return ms > 0 ? duration_text(static_cast<int64_t>(ms)) : "";
}

void Progress::show(std::string_view kind, const Value& record) {
  if (json_) {
    terminal_.line(to_json(Value::object({{"event", kind}, {"data", record}})));
    return;
  }
  if (kind == "node") show_node(record);
  if (kind == "run") show_run(record);
  if (kind == "progress") show_items(record);
}

void Progress::say(std::string_view level, std::string_view message) {
  clear();
  Colour colour = level == "error" ? Colour::red : level == "warn" ? Colour::yellow : Colour::plain;
  terminal_.err(std::string(14, ' ') + terminal_.paint_error(colour, message) + "\n");
}

void Progress::show_node(const Value& record) {
  std::string status = text_at(record, "status");
  std::string place = place_of(record);
  std::string running = status == "running" ? place + "#" + text_at(record, "attempt") : "";
  if (!running.empty() && running == last_running_) return;
  last_running_ = running;
  clear();
  std::string line = terminal_.paint_error(Colour::dim, time_of_day(text_at(record, "at"))) + "  ";
  line += terminal_.paint_error(colour_of_status(status), status);
  line.append(status.size() < 10 ? 10 - status.size() : 1, ' ');
  line += place;
  std::string remark = node_remark(record);
  if (!remark.empty()) {
    size_t width = width_of(place);
    line.append(width < 20 ? 20 - width : 1, ' ');
    line += " " + terminal_.paint_error(Colour::dim, remark);
  }
  terminal_.err(line + "\n");
}

void Progress::show_run(const Value& record) {
  clear();
  std::string status = text_at(record, "status");
  std::string line = terminal_.paint_error(Colour::dim, time_of_day(text_at(record, "at"))) + "  " +
                     terminal_.paint_error(Colour::bold, "run ") +
                     terminal_.paint_error(colour_of_status(status), status);
  std::string remark = error_remark(record.get("error"));
  if (remark.empty()) remark = text_at(record, "reason");
  if (!remark.empty()) line += "  " + remark;
  terminal_.err(line + "\n");
}

void Progress::show_items(const Value& record) {
  if (!terminal_.live) return;
  clear();
  uint64_t total = number_at(record, "total");
  uint64_t done = number_at(record, "resolved");
  terminal_.err("[" + bar(done, total, 30) + "] " + std::to_string(done) + "/" +
                std::to_string(total) + " " + text_at(record, "node_name"));
  status_shown_ = true;
}

void Progress::clear() {
  if (!status_shown_) return;
  terminal_.err("\r\x1b[K");
  status_shown_ = false;
}

}  // namespace fermata::cli
