#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What rules look for in content (J-49). Whether it is there is found out by an adapter.
namespace fermata::policy {

enum class Scanner : uint8_t { secret, pii, injection, size, keyword };
constexpr Scanner last_of(Scanner) { return Scanner::keyword; }
std::string_view name_of(Scanner scanner);
std::optional<Scanner> scanner_of(std::string_view name);

/// Each list that is given must have a hit; within a list any will do.
struct Content {
  std::vector<Scanner> scanners{};
  std::vector<std::string> keywords{};  ///< found whatever the case of their ASCII letters
  std::vector<std::string> patterns{};  ///< regular expressions of RE2
  /// What the scanner `size` takes for too large.
  uint64_t size_over = size_over_default;
  static constexpr uint64_t size_over_default = 1 << 20;

  bool empty() const { return scanners.empty() && keywords.empty() && patterns.empty(); }
  bool operator==(const Content&) const = default;
};

constexpr size_t keywords_max = 1'000;
constexpr size_t keyword_bytes_max = 256;
constexpr size_t content_patterns_max = 100;
constexpr size_t content_pattern_bytes_max = 1'024;

/// Names what is looked for: the same lists, the same key.
std::string content_key(const Content& content);

/// Why a regular expression cannot be used; empty when it can.
using PatternCheck = std::function<std::string(std::string_view)>;

}  // namespace fermata::policy
