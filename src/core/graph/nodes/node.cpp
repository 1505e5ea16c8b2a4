#include "core/graph/nodes/node.h"

#include <charconv>
#include <cmath>

#include "core/graph/check_words.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {

Failure<NodeError> node_failure(const flow::EvalError& error) {
  Value details = error.details;
  bool open = details.is_null() || details.is_object();
  if (error.line > 0 && open) {
    if (details.is_null()) details = Value::object();
    details.set("line", error.line);
    details.set("column", error.column);
  }
  return node_failure(error.code, error.message, std::move(details));
}

bool is_instant(NodeType type) {
  switch (type) {
    case NodeType::conditional:
    case NodeType::switch_:
    case NodeType::loop:
    case NodeType::fail:
    case NodeType::noop:
    case NodeType::code:
    case NodeType::edit:
    case NodeType::filter:
    case NodeType::sort:
    case NodeType::limit:
    case NodeType::log:
    case NodeType::date_time_now:
    case NodeType::date_time_add:
    case NodeType::date_time_subtract:
    case NodeType::date_time_format:
    case NodeType::date_time_parse: return true;
    default: return false;
  }
}

NodeResult run_instant(const NodeInput& input) {
  check(is_instant(input.node.type));
  switch (input.node.type) {
    case NodeType::conditional: return run_conditional(input);
    case NodeType::switch_: return run_switch(input);
    case NodeType::loop: return run_loop(input);
    case NodeType::fail: return run_fail(input);
    case NodeType::code: return run_code(input);
    case NodeType::edit: return run_edit(input);
    case NodeType::filter: return run_filter(input);
    case NodeType::sort: return run_sort(input);
    case NodeType::limit: return run_limit(input);
    case NodeType::log: return run_log(input);
    case NodeType::date_time_now:
    case NodeType::date_time_add:
    case NodeType::date_time_subtract:
    case NodeType::date_time_format:
    case NodeType::date_time_parse: return run_date_time(input);
    default: return run_noop(input);
  }
}

Route route_after_ignored_failure(const Node& node) {
  switch (node.type) {
    case NodeType::conditional: return Route::one(route_edge(node, conditional_false));
    case NodeType::switch_: return Route::one(route_edge(node, node.rules));
    case NodeType::loop: return Route::one(route_edge(node, loop_done));
    case NodeType::approval: return Route::one(route_edge(node, approval_reject));
    default: return Route::all();
  }
}

std::optional<double> number_of(const Value& value) {
  auto number = number_in(value);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<int64_t> integer_of(const Value& value) {
  if (value.is_integer()) return value.as_integer();
  if (value.is_string()) {
    // Digits beyond 2^53 would be lost on the way through a floating-point number.
    std::string_view text = value.as_string();
    int64_t whole = 0;
    auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (mistake == std::errc() && end == text.data() + text.size()) return whole;
  }
  auto number = number_of(value);
  if (!number || std::floor(*number) != *number) return std::nullopt;
  if (*number < -0x1p63 || *number >= 0x1p63) return std::nullopt;
  return static_cast<int64_t>(*number);
}

}  // namespace fermata::graph
