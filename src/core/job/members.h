#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

namespace fermata::job {

/// Reads the members of an object by kind. Mistakes become findings and reading goes on; lengths
/// and ranges are judged later, by whoever checks the whole request.
class Members {
 public:
  Members(const Value& body, std::string path, std::vector<Finding>& findings);

  const Value* any(std::string_view name);  ///< nullptr when absent; null is there
  std::optional<std::string> text(std::string_view name);
  std::string text_or_empty(std::string_view name) { return text(name).value_or(""); }
  std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most);
  std::optional<double> number(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  Value object(std::string_view name);  ///< or null when absent
  void require(std::string_view name);
  void wrong(std::string_view name, std::string message);
  void know(std::string_view name) { known_.push_back(name); }
  std::string path_of(std::string_view name) const;
  std::vector<Finding>& findings() { return findings_; }

  /// Tells of every member that nobody asked for.
  void finish();

 private:
  const Value* take(std::string_view name);

  const Value body_;
  const std::string path_;
  std::vector<std::string_view> known_;
  std::vector<Finding>& findings_;
};

}  // namespace fermata::job
