#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

/// Names of places inside a value, as the data nodes take them (G-52, G-53).
namespace fermata::graph {

constexpr size_t field_steps_max = 64;

/// A path to read or replace what is there: `address.city`, `tags[0]`, `["odd key"].x`. A leading
/// `$item` or `$json` is dropped; the empty path means the value itself.
class FieldPath {
 public:
  /// Nothing when the text is malformed or has more than `field_steps_max` steps.
  static std::optional<FieldPath> parse(std::string_view text);
  /// Nullptr when there is no such place.
  const Value* find(const Value& in) const;
  /// Puts `value` at a place that exists.
  void replace(Value& in, Value value) const;
  bool empty() const { return steps_.empty(); }

 private:
  struct Step {
    std::string key;
    std::optional<size_t> position;  ///< when the key is a number, which an array takes
  };
  static const Value* child(const Value& in, const Step& step);
  static void replace(Value& in, std::span<const Step> steps, Value value);
  bool add(std::string_view key);

  std::vector<Step> steps_;
};

/// A dotted name to write to: `address.city`. Objects on the way are made when they are missing.
class DottedName {
 public:
  /// Nothing when a part is empty or there are more than `field_steps_max`.
  static std::optional<DottedName> parse(std::string_view text);
  /// False when the way leads through something that is no object; then `in` is to be dropped.
  [[nodiscard]] bool assign(Value& in, Value value) const;

 private:
  static bool assign(Value& in, std::span<const std::string> parts, Value value);

  std::vector<std::string> parts_;
};

}  // namespace fermata::graph
