#pragma once
#include <string>
#include <string_view>

namespace fermata::policy {

/// A pattern of policy: `*` stands for any characters including dots, `?` for one.
class Glob {
 public:
  Glob() = default;
  explicit Glob(std::string pattern);

  bool matches(std::string_view text) const;
  /// True when it matches its own text and nothing else.
  bool exact() const { return exact_; }
  /// What every text it matches begins with.
  std::string_view prefix() const { return std::string_view(pattern_).substr(0, prefix_); }
  const std::string& text() const { return pattern_; }
  /// True when it surely matches whatever `other` matches; false when that cannot be told.
  bool covers(const Glob& other) const;

 private:
  std::string pattern_;
  size_t prefix_ = 0;
  bool exact_ = true;
};

}  // namespace fermata::policy
