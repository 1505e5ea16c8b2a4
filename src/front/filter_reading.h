#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "front/run_query.h"

namespace fermata::front {

/// `filter` of a body as if it had come in a query: texts under the `names` that the list at
/// `see` knows. Fails with invalid_field, one finding for everything else.
Outcome<NamedValues> read_filter_object(const Value& filter,
                                        std::span<const std::string_view> names,
                                        std::string_view see);

/// What readers of filters share: a reader takes one value after the other, notes what is wrong
/// with each, and is refused with all of it.
class FilterReading {
 public:
  virtual ~FilterReading() = default;
  Outcome<void> read(const NamedValues& query);

 protected:
  /// Names that are no filter are left alone.
  virtual void one(const std::string& name, const std::string& value) = 0;

  void wrong(const std::string& name, std::string message);
  void instant(const std::string& name, const std::string& value, std::optional<Instant>& out);
  /// `key` or `key:value`.
  void label(const std::string& value, std::string& key, std::string& wanted);
  /// Each name of a list with commas.
  template <class Take>
  static void each(std::string_view list, Take take) {
    while (!list.empty()) {
      size_t end = std::min(list.find(','), list.size());
      take(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }

 private:
  std::vector<Finding> findings_;
};

}  // namespace fermata::front
