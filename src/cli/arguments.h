#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fermata::cli {

/// One `--name` that a command takes. `value` is what its argument is called in the help; empty for
/// a switch, which may still be given as `--name=false`.
struct Option {
  std::string_view name;  ///< without dashes, words joined by `-`
  std::string_view value;
  std::string_view help;
  bool repeats = false;
};

/// What was given on a command line. Options may stand anywhere; `--` ends them; `_` in a name
/// counts as `-`.
class Arguments {
 public:
  /// Fails with `usage`, naming the nearest known option for one that is not known.
  static Outcome<Arguments> parse(std::span<const std::string> words,
                                  std::span<const Option> options);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view name) const;
  bool is_set(std::string_view name) const;  ///< of a switch: given, and not as `=false`
  /// The last one given.
  std::optional<std::string> get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  /// Everything given, in order.
  const std::vector<std::pair<std::string, std::string>>& given() const { return given_; }

  /// Fails with `usage` unless there are as many positional words as asked for.
  Outcome<void> expect(size_t least, size_t most, std::string_view what) const;
  /// A whole number of at least `least`; nothing when the option was not given.
  Outcome<std::optional<uint64_t>> number(std::string_view name, uint64_t least = 0) const;

 private:
  std::vector<std::string> positional_;
  std::vector<std::pair<std::string, std::string>> given_;
};

/// The candidate that differs from `word` by the fewest edits, empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);
/// ` Did you mean …?`, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         std::string_view prefix = "");

}  // namespace fermata::cli
