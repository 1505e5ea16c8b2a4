#include "server/metric_text.h"

namespace fermata::server {

std::string metric_label(std::string_view name, std::string_view value) {
  std::string out(name);
  out.append("=\"");
  for (char c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n') {
      out.append("\\n");
    } else {
      out.push_back(c);
    }
  }
  return out.append("\"");
}

}  // namespace fermata::server
