#pragma once
#include "base/words.h"
#include "core/wait/config.h"

namespace fermata::waits {

/// Reads the fields of one object and collects what is wrong with them. A field that is null is
/// absent; one that is not known yet is present but gives no value.
class ConfigFields {
 public:
  ConfigFields(const Value& object, std::string path, IsOpen is_open,
               std::vector<Finding>& findings)
      : object_(object), path_(std::move(path)), is_open_(is_open), findings_(findings) {}

  bool has(std::string_view name) const { return !object_.get(name).is_null(); }
  /// The value if it is there and known.
  const Value* known(std::string_view name) const;
  /// Finds fields that are none of `names`, which are separated by |.
  void allow_only(std::string_view names);
  void complain(std::string_view code, std::string_view name, std::string message);

  /// Not empty, without control characters; as long as names of steps, edges and zones may be.
  std::optional<std::string> text(std::string_view name, std::string_view code,
                                  size_t bytes_max = 1'000);
  std::optional<bool> boolean(std::string_view name);
  /// A JSON integer within bounds, both included.
  std::optional<int64_t> whole(std::string_view name, std::string_view code, int64_t least,
                               int64_t most);
  /// The position of the value among `choices`, which are separated by |.
  std::optional<size_t> choice(std::string_view name, std::string_view code,
                               std::string_view choices);
  std::optional<int> clock(std::string_view name, std::string_view code);
  /// `days`, `business_days_only` and, where they are allowed, `holidays`.
  /// `code` is that of days that cannot be read.
  DayFilter day_filter(bool with_holidays, std::string_view code = "invalid_days");
  /// An object in a field, to be read with the same findings.
  std::optional<ConfigFields> object(std::string_view name, std::string_view code);
  bool found_nothing_since(size_t findings) const { return findings_.size() == findings; }

 private:
  void read_days(DayFilter& filter, std::string_view code);
  void read_holidays(DayFilter& filter);

  const Value& object_;
  std::string path_;
  IsOpen is_open_;
  std::vector<Finding>& findings_;
};

}  // namespace fermata::waits
