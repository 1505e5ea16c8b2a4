#include "sim/model/graph_builder.h"
#include "sim/model/spec.h"

namespace fermata::sim::model {

namespace {

/// How a node reads the number of the step it refers to; 5 when its path has not passed it.
std::string referred(const Spec& spec, const SpecNode& node) {
  if (node.refers == nothing) return "5";
  return "($" + spec.nodes[static_cast<size_t>(node.refers)].id + "?.result?.t ?? 5)";
}

std::string source_of(const Spec& spec, const SpecNode& node) {
  std::string seed = std::to_string(node.number);
  std::string known =
      "[$json].flat(9).reduce((s, x) => (s * 31 + (x?.t ?? 13)) % 1000003, " + seed + ")";
  std::string sum = known + " * 31 + " + referred(spec, node);
  if (node.uses_item) sum += " + [$item].flat(9).reduce((s, x) => s * 7 + (x?.t ?? 3), 1) + $index";
  return "return {t: (" + sum + ") % 1000003}";
}

Value edge_or_null(const Spec& spec, int edge) {
  return edge == nothing ? Value() : Value(spec.edges[static_cast<size_t>(edge)].id);
}

Value conditional(const Spec& spec, const SpecNode& node) {
  Value parameters = Value::object({{"expression", "{{ " + referred(spec, node) + " % 2 == 0 }}"}});
  const char* names[] = {"true_edge_id", "false_edge_id"};
  for (size_t i = 0; i < 2; ++i)
    if (node.routes[i] != nothing) parameters.set(names[i], edge_or_null(spec, node.routes[i]));
  return parameters;
}

Value choice(const Spec& spec, const SpecNode& node) {
  Value rules = Value::array(), routes = Value::array();
  for (int rest = 0; rest < 2; ++rest)
    rules.push(Value::object({{"value", "{{ " + referred(spec, node) + " % 3 }}"},
                              {"operator", "=="},
                              {"compare", rest}}));
  for (int route : node.routes) routes.push(edge_or_null(spec, route));
  return Value::object({{"rules", rules}, {"routes", routes}});
}

Value split(const SpecNode& node) {
  static constexpr const char* arrays[] = {"$input.items", "$input.none", "$input.t"};
  return Value::object({{"input_array", arrays[static_cast<size_t>(node.items)]},
                        {"batch_size", node.batch_size},
                        {"max_parallel", node.max_parallel},
                        {"on_item_error", node.halt_on_item_error ? "halt" : "collect"}});
}

/// The body holds the instant of the decision: only a request that was kept can be sent twice.
Value http(const std::string& url) {
  return Value::object(
      {{"method", "POST"}, {"url", url}, {"body", "$run.now"}, {"raise_on_status", "4xx,5xx"}});
}

Value parameters_of(const Spec& spec, const SpecNode& node) {
  switch (node.kind) {
    case Kind::step: return Value::object({{"source", source_of(spec, node)}});
    case Kind::wait: return wait_ms(node.number % 5 == 0 ? 0 : node.number * 700);
    case Kind::http_ok: return http("http://sim/ok/" + node.id);
    case Kind::http_down: return http("http://sim/down/" + node.id);
    case Kind::fail: return Value::object({{"code", "broken"}, {"message", node.id}});
    case Kind::conditional: return conditional(spec, node);
    case Kind::choice: return choice(spec, node);
    case Kind::merge: return Value::object({{"timeout", 0}});
    case Kind::split: return split(node);
    case Kind::aggregator:
      return Value::object(
          {{"drop_ended", node.drop_ended}, {"fail_on_errors", node.fail_on_errors}});
    default: return Value::object();
  }
}

const char* type_of(Kind kind) {
  switch (kind) {
    case Kind::step: return "code";
    case Kind::wait: return "wait";
    case Kind::http_ok:
    case Kind::http_down: return "http";
    case Kind::fail: return "fail";
    case Kind::conditional: return "conditional";
    case Kind::choice: return "switch";
    case Kind::merge: return "merge";
    case Kind::split: return "split";
    case Kind::aggregator: return "aggregator";
    default: return "noop";
  }
}

Value more_of(const Spec& spec, const SpecNode& node) {
  Value more = Value::object();
  if (node.policy == Policy::ignore) more = on_error_ignore();
  if (node.policy == Policy::branch)
    more = on_error_branch(spec.edges[static_cast<size_t>(node.error_edge)].id);
  if (node.kind == Kind::disabled) more.set("disabled", true);
  if (node.kind == Kind::http_down)
    more.set("retry", Value::object({{"max_attempts", 1 + node.number % 3}, {"backoff_ms", 300}}));
  return more;
}

}  // namespace

Value document_of(const Spec& spec) {
  GraphBuilder graph;
  for (const SpecNode& node : spec.nodes)
    if (node.kind != Kind::start)
      graph.node(node.id, type_of(node.kind), parameters_of(spec, node), more_of(spec, node));
  for (const SpecEdge& edge : spec.edges)
    graph.edge(spec.nodes[static_cast<size_t>(edge.src)].id,
               spec.nodes[static_cast<size_t>(edge.dst)].id, edge.id);
  return graph.document();
}

}  // namespace fermata::sim::model
