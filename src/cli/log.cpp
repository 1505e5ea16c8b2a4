#include "cli/log.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::cli {
namespace {

constexpr std::string_view level_names[] = {"debug", "info", "warn", "error"};

/// A field's value as one word: quoted when it holds a blank, a quote or a control character.
std::string word_of(const Value& value) {
  if (!value.is_string()) return to_json(value);
  std::string_view text = value.as_string();
  bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c != '"' && c != '=' && c != 0x7F;
  });
  return plain ? std::string(text) : to_json(value);
}

/// The message with control characters escaped, so that one entry stays one line.
std::string one_line(std::string_view message) {
  std::string escaped = to_json(Value(message));
  bool plain = escaped.size() == message.size() + 2;
  return plain ? std::string(message) : escaped.substr(1, escaped.size() - 2);
}

}  // namespace

LogLevel log_level_of(std::string_view name) {
  auto found = std::find(std::begin(level_names), std::end(level_names), name);
  return found == std::end(level_names) ? LogLevel::info
                                        : static_cast<LogLevel>(found - std::begin(level_names));
}

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  put(level, message, fields);
}

void Log::write(LogLevel level, std::string_view message,
                const std::vector<std::pair<std::string, Value>>& fields) {
  put(level, message, fields);
}

template <class AnyFields>
void Log::put(LogLevel level, std::string_view message, const AnyFields& fields) {
  if (level < least_) return;
  std::string line;
  if (json_) {
    Value entry = Value::object({{"at", to_rfc3339(now_())},
                                 {"level", level_names[static_cast<int>(level)]},
                                 {"message", message}});
    for (const auto& [name, value] : fields) entry.set(name, value);
    line = to_json(entry);
  } else {
    std::string name(level_names[static_cast<int>(level)]);
    name.resize(5, ' ');
    line = to_rfc3339(now_()) + " " + name + " " + one_line(message);
    for (const auto& [key, value] : fields) line += " " + std::string(key) + "=" + word_of(value);
  }
  line += '\n';
  std::lock_guard lock(mutex_);
  write_(line);
}

}  // namespace fermata::cli
