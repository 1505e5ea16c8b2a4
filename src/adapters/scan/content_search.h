#pragma once
#include <memory>
#include <string>
#include <vector>

#include "adapters/scan/texts.h"
#include "core/job/output.h"
#include "core/policy/content.h"

namespace fermata::scan {

/// Why an expression cannot be used by rules; empty when it can.
std::string complaint_about_pattern(std::string_view pattern);

struct Hit {
  std::string scanner;
  std::string type;
  uint32_t confidence = 0;
  size_t begin = 0;
  size_t length = 0;
};

/// What one rule looks for, compiled. May be used from several threads.
class ContentSearch {
 public:
  ContentSearch(const policy::Content& content, const std::vector<std::string>& national_ids);
  ~ContentSearch();
  ContentSearch(const ContentSearch&) = delete;
  ContentSearch& operator=(const ContentSearch&) = delete;

  /// What was found in one part of a result; a rule holds when each of its lists has a hit in any.
  struct Found {
    std::vector<Hit> hits{};  ///< findings_kept_max or, with `all`, every one
    uint64_t total = 0;
    bool scanners = false;
    bool keywords = false;
    bool patterns = false;
    void add(Found other);
  };
  /// `bytes_whole`: of the whole result, for the scanner `size`.
  Found in(const Texts& texts, uint64_t bytes_whole, bool all) const;
  bool holds(const Found& found) const;

 private:
  struct Parts;
  void search_builtins(const Texts& texts, bool all, Found& found) const;
  void search_names(const Texts& texts, bool all, Found& found) const;
  void search_own(const Texts& texts, bool all, Found& found) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace fermata::scan
