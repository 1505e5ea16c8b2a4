#include "core/graph/calls.h"

#include "base/hash.h"
#include "core/graph/advance.h"

/// Calls to the outside and their answers, whatever the kind of call (G-39).
namespace fermata::graph {

namespace {

NodeType type_of(const Run& run, TokenId id) {
  return run.definition->nodes[run.tokens.at(id).node].type;
}

CallRequest request_of(const Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  const Node& node = run.definition->nodes[token.node];
  CallRequest request =
      node.type == NodeType::smtp ? mail_request(step, id) : http_request(step, id);
  request.account = run.account;
  request.credentials = node.credentials;
  request.ignore_ssl = token.parameters.get("ignore_ssl") == Value(true);
  if (!run.trace.recorded) return request;
  if (auto context = passed_on(run.trace, call_span(run.id, id, token.attempt)))
    request.trace = CallTrace{*std::move(context), activation_span(run.id, id), node.id};
  return request;
}

void request_call(Step& step, TokenId id) {
  Activation activation = activation_of(step.run, id);
  step.touch(activation.lineage);
  step.emit(CallRequested{activation, idempotency_key_of(step.run, activation)});
  step.effect(PlaceCall{{step.run.id, id, activation.attempt}, request_of(step, id)});
}

}  // namespace

std::string idempotency_key_of(const Run& run, const Activation& activation) {
  std::string name = run.run_key.text() + "\n" + run.definition->nodes[activation.node].id + "\n";
  for (Lineage at = activation.lineage; !at.outside();) {
    const Scope& scope = run.scopes.at(at.scope);
    name += run.definition->nodes[scope.split].id + "@" + std::to_string(scope.visit) + "." +
            std::to_string(at.item) + "/";
    at = scope.outer;
  }
  return sha256_hex(name + "\n" + std::to_string(activation.visit));
}

void start_call(Step& step, TokenId id, Value parameters) {
  if (auto deep = too_deep(step, parameters)) return fail_node(step, id, *std::move(deep));
  // Coming back for another attempt, the activation has begun already and keeps its parameters.
  const Token& token = step.run.tokens.at(id);
  if (token.parked != Parked::started || token.parameters.is_null()) {
    if (type_of(step.run, id) == NodeType::smtp)
      if (auto mistake = mistake_in_mail(step, parameters))
        return fail_node(step, id, *std::move(mistake));
    step.emit(NodeStarted{activation_of(step.run, id), std::move(parameters)});
  }
  request_call(step, id);
}

void take_answer(Step& step, const CallAnswer& answer) {
  bool mail = type_of(step.run, answer.ticket.token) == NodeType::smtp;
  mail ? take_mail_answer(step, answer) : take_http_answer(step, answer);
}

void place_calls(Step& step) {
  for (const auto& [id, token] : step.run.tokens)
    if (token.parked == Parked::call)
      step.effect(PlaceCall{{step.run.id, id, token.attempt}, request_of(step, id)});
}

void place_lost_call(Step& step, TokenId id) {
  const Token& token = step.run.tokens.at(id);
  if (token.parameters.get("at_most_once") == Value(true)) {
    return fail_node(step, id,
                     {"outcome_unknown",
                      "the request may have been sent before a restart and at_most_once forbids "
                      "sending it again",
                      {}});
  }
  step.effect(PlaceCall{{step.run.id, id, token.attempt}, request_of(step, id)});
}

}  // namespace fermata::graph
