#include "base/utf8.h"
#include "cli/settings.h"

namespace fermata::cli {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_bare_key(std::string_view key) {
  if (key.empty()) return false;
  for (char c : key)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return false;
  return true;
}

/// Reads one line after the other; `problem` is set at the first that is not understood.
struct FileReader {
  std::string_view file_name;
  std::string prefix = {};
  int line = 0;
  std::vector<GivenSetting> found = {};

  Failure<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::invalid_setting,
                std::string(file_name) + ":" + std::to_string(line) + ": " + std::string(what));
  }

  Outcome<void> read(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || text[0] == '#') return {};
    if (text[0] == '[') return read_table(text);
    size_t equals = text.find('=');
    if (equals == std::string_view::npos) return wrong("expected `key = value`.");
    std::string_view key = trimmed(text.substr(0, equals));
    if (!is_bare_key(key)) return wrong("a key is made of letters, digits and `_`.");
    std::string name = prefix + std::string(key);
    FERMATA_TRY(value, read_value(trimmed(text.substr(equals + 1)), is_secret_setting(name)));
    for (const GivenSetting& other : found)
      if (other.name == name) return wrong("`" + name + "` is given twice.");
    found.push_back(
        {name, value, SettingSource::file, std::string(file_name) + ":" + std::to_string(line)});
    return {};
  }

  Outcome<void> read_table(std::string_view text) {
    size_t end = text.find(']');
    if (end == std::string_view::npos || !is_bare_key(trimmed(text.substr(1, end - 1))))
      return wrong("expected a table such as `[graph]`.");
    if (!is_end(text.substr(end + 1))) return wrong("nothing may follow the `]`.");
    prefix = std::string(trimmed(text.substr(1, end - 1))) + "_";
    return {};
  }

  static bool is_end(std::string_view rest) {
    rest = trimmed(rest);
    return rest.empty() || rest[0] == '#';
  }

  Outcome<std::string> read_value(std::string_view text, bool is_secret) {
    if (text.empty()) return wrong("the value is missing.");
    if (text[0] == '"' || text[0] == '\'') return read_quoted(text);
    std::string_view bare = trimmed(text.substr(0, text.find('#')));
    bool plain = bare == "true" || bare == "false";
    bool number = !bare.empty() && bare.find_first_not_of("0123456789_.") == std::string_view::npos;
    if (!plain && !number && is_secret) return wrong("a text stands in quotes.");
    if (!plain && !number) return wrong("a text stands in quotes: \"" + std::string(bare) + "\".");
    return std::string(bare);
  }

  /// A literal string in single quotes, or a basic one with escapes.
  Outcome<std::string> read_quoted(std::string_view text) {
    char quote = text[0];
    std::string value;
    size_t i = 1;
    for (; i < text.size() && text[i] != quote; ++i) {
      if (text[i] != '\\' || quote == '\'') {
        value += text[i];
        continue;
      }
      constexpr std::string_view letters = "\"\\ntr";
      constexpr std::string_view meanings = "\"\\\n\t\r";
      size_t which = ++i < text.size() ? letters.find(text[i]) : std::string_view::npos;
      if (which == std::string_view::npos) return wrong("unknown escape; use single quotes.");
      value += meanings[which];
    }
    if (i >= text.size()) return wrong("the closing quote is missing.");
    if (!is_end(text.substr(i + 1))) return wrong("nothing may follow the value.");
    return value;
  }
};

}  // namespace

Outcome<std::vector<GivenSetting>> read_settings_file(std::string_view text,
                                                      std::string_view file_name) {
  FileReader reader{file_name};
  if (!is_utf8(text)) return reader.wrong("the file is not UTF-8.");
  while (!text.empty()) {
    ++reader.line;
    size_t end = text.find('\n');
    FERMATA_TRY_VOID(reader.read(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(reader.found);
}

}  // namespace fermata::cli
