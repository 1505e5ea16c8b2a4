#pragma once
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/value.h"

namespace fermata::cli {

enum class LogLevel : uint8_t { debug, info, warn, error };
LogLevel log_level_of(std::string_view name);  ///< info for an unknown name

/// The server's log: one line for each entry, ids as fields, as text or JSON. Safe from
/// several threads. Callers hand it no secrets.
class Log {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, Value>>;
  Log(bool json, LogLevel least, std::function<Instant()> now,
      std::function<void(std::string_view)> write)
      : json_(json), least_(least), now_(std::move(now)), write_(std::move(write)) {}

  void write(LogLevel level, std::string_view message, Fields fields = {});
  void write(LogLevel level, std::string_view message,
             const std::vector<std::pair<std::string, Value>>& fields);
  void info(std::string_view message, Fields fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warn(std::string_view message, Fields fields = {}) {
    write(LogLevel::warn, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) {
    write(LogLevel::error, message, fields);
  }

 private:
  template <class AnyFields>
  void put(LogLevel level, std::string_view message, const AnyFields& fields);

  const bool json_;
  const LogLevel least_;
  const std::function<Instant()> now_;
  const std::function<void(std::string_view)> write_;
  std::mutex mutex_;
};

}  // namespace fermata::cli
