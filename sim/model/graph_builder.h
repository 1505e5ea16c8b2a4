#pragma once
#include <string>

#include "base/value.h"

namespace fermata::sim {

/// Writes a workflow document node by node. It begins with the trigger `start`.
class GraphBuilder {
 public:
  GraphBuilder();

  /// `more` holds further fields of the node: error, retry, max_visits …
  GraphBuilder& node(std::string_view id, std::string_view type, Value parameters = Value::object(),
                     Value more = Value::object());
  /// Edges are numbered e0, e1 … unless they are given an id.
  GraphBuilder& edge(std::string_view src, std::string_view dst, std::string_view id = {});
  GraphBuilder& result(std::string_view expression);
  GraphBuilder& timeout_ms(int64_t ms);
  Value document() const;

 private:
  Value nodes_ = Value::array();
  Value edges_ = Value::array();
  Value more_ = Value::object();
};

// Pieces that many workloads write.
Value on_error_branch(std::string_view edge);
Value on_error_ignore();
/// A list of n objects {"t": first + i}.
Value counted_items(int64_t count, int64_t first = 0);
/// A wait of so many milliseconds.
Value wait_ms(int64_t ms);

}  // namespace fermata::sim
