#pragma once
#include <map>
#include <string>

#include "base/json.h"

/// Pieces of the text that /metrics answers.
namespace fermata::server {

/// `name="value"`, with what would end the value escaped.
std::string metric_label(std::string_view name, std::string_view value);

inline std::string metric_number(uint64_t number) { return std::to_string(number); }
inline std::string metric_number(double number) { return number_to_text(number); }

/// One family; each entry is known by its labels, or by none.
template <class Number>
void append_metric(std::string& out, std::string_view name, std::string_view kind,
                   std::string_view help, const std::map<std::string, Number>& values) {
  out.append("# HELP ").append(name).append(" ").append(help);
  out.append("\n# TYPE ").append(name).append(" ").append(kind).append("\n");
  for (const auto& [labels, value] : values) {
    out.append(name);
    if (!labels.empty()) out.append("{").append(labels).append("}");
    out.append(" ").append(metric_number(value)).append("\n");
  }
}

}  // namespace fermata::server
