#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/flow/script.h"

/// For tests: what the checks say about a script, as short texts.
namespace fermata::flow {

/// `3:7 rule`, one per finding, errors before warnings.
inline std::vector<std::string> findings(std::string_view source, ScriptOptions options = {}) {
  CheckedScript checked = check_script(source, options);
  std::vector<std::string> out;
  for (const auto* list : {&checked.errors, &checked.warnings}) {
    for (const Finding& finding : *list) {
      out.push_back(std::to_string(finding.line) + ":" + std::to_string(finding.column) + " " +
                    finding.code);
    }
  }
  return out;
}

using Found = std::vector<std::string>;

/// The message of the first finding.
inline std::string first_message(std::string_view source) {
  CheckedScript checked = check_script(source);
  if (!checked.errors.empty()) return checked.errors[0].message;
  return checked.warnings.empty() ? "" : checked.warnings[0].message;
}

}  // namespace fermata::flow
