#include <algorithm>

#include "base/json.h"
#include "core/graph/advance.h"
#include "core/graph/check_words.h"
#include "core/graph/event_wait.h"
#include "core/run/wait_events.h"
#include "core/run/wait_gate.h"
#include "core/wait/event_types.h"
#include "core/wait/for_event.h"

/// Wait nodes that listen to signals (wait_type for_event): opening, matches and the timeout.
namespace fermata::graph {

namespace {

/// The fields of the wait: evaluated, or as written where they are never evaluated.
Value config_of(const Node& node, const Value& parameters) {
  Value config = Value::object();
  for (std::string_view name : parts_of(waits::fields_of("for_event"))) {
    const Value* value = parameters.find(name);
    if (value == nullptr) value = node.raw.find(name);
    if (value != nullptr && !value->is_null()) config.set(name, *value);
  }
  return config;
}

NodeError refused(const Finding& finding) {
  return {"wait_invalid", finding.message,
          Value::object({{"code", finding.code}, {"path", finding.path}})};
}

/// When the step began that the wait looks back to, or the run did.
Instant related_start(const Run& run, const Token& token, const waits::ForEvent& config) {
  if (config.related_at) return *config.related_at;
  NodeIndex step = no_node;  // stands for the last that called outside
  if (!config.related_step.empty())
    step = run.definition->node_by_id(config.related_step).value_or(no_node);
  const Instant* began = token.starts.find(step);
  return began ? *began : run.started_at;
}

/// From when on a signal counts (W-56).
Instant window_start(const Step& step, const Token& token, const std::string& wait_step,
                     const waits::ForEvent& config) {
  const Run& run = step.run;
  Instant start = step.at;
  switch (config.lookback) {
    case waits::Lookback::none: break;
    case waits::Lookback::run_start: start = run.started_at; break;
    case waits::Lookback::minutes:
      start = step.at - Duration{config.lookback_minutes * 60'000};
      break;
    case waits::Lookback::related: start = related_start(run, token, config); break;
  }
  auto ended = run.event_ends.find(wait_step);
  if (ended != run.event_ends.end()) start = std::max(start, ended->second.at);
  return std::min(start, step.at);
}

/// Every matched signal, in the order of the listeners.
Value matched_events(const Wait& wait) {
  Value events = Value::array();
  for (const Listener& listener : wait.listeners)
    if (listener.status == ListenerStatus::matched) events.push(listener.event);
  return events;
}

/// What the next step sees (W-47).
Value resumed_output(const Step& step, const Wait& wait, const Activation& activation,
                     std::string_view by, Value event, const std::string& branch) {
  Value output =
      wait.due ? suspend_output(*wait.due, timer_id_of(step.run, activation)) : Value::object();
  output.set("resumed_at", to_rfc3339(step.at));
  output.set("resumed_by", by);
  output.set("timed_out", by == "timeout");
  output.set("event", std::move(event));
  output.set("events", matched_events(wait));
  output.set("branch", branch.empty() ? Value() : Value(branch));
  output.set("waited_ms", (step.at - wait.reached_at).ms);
  output.set("occurrence", wait.occurrence);
  output.set("scheduled_at", Value());
  return output;
}

std::string text_in(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

void resume(Step& step, TokenId id, std::string_view by, Value event, const std::string& signal_id,
            std::optional<std::vector<EdgeIndex>> edges, const std::string& branch) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Wait& wait = step.run.waits.at({WaitSource::graph, id});
  Value output = resumed_output(step, wait, activation, by, std::move(event), branch);
  step.touch(activation.lineage);
  step.emit(WaitResumed{activation, std::string(by), std::move(output),
                        edges ? *std::move(edges) : std::vector<EdgeIndex>{}, token.since,
                        signal_id});
}

}  // namespace

std::string phone_of(const Contact* contact) {
  return contact == nullptr ? std::string() : phone_key(contact->phone);
}

Value told_of_window(const Step& step, const waits::ForEvent& config) {
  const AccountSettings* account = step.given.account.get();
  int64_t hours =
      account ? account->signals.retention_hours : AccountSettings{}.signals.retention_hours;
  if (config.lookback != waits::Lookback::minutes || config.lookback_minutes <= hours * 60)
    return {};
  return Value::object(
      {{"warnings", Value::array({Value("lookback is longer than signals are kept, " +
                                        std::to_string(hours) + " hours")})}});
}

std::vector<Listener> listeners_of(const waits::ForEvent& config, waits::EventScope scope,
                                   Instant window_start, const std::string& phone) {
  std::vector<Listener> listeners;
  for (const waits::AwaitedEvent& event : config.events) {
    Listener listener;
    listener.event_type = event.type;
    listener.correlation_id = event.correlation_id;
    listener.criteria = event.criteria;
    listener.scope = waits::name_of(scope);
    listener.window_start = window_start;
    if (event.type == "sms_reply" && scope == waits::EventScope::contact) listener.phone = phone;
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

void start_event_wait(Step& step, TokenId id, const Value& parameters) {
  const Run& run = step.run;
  Activation activation = activation_of(run, id);
  const Node& node = run.definition->nodes[activation.node];
  Value config = config_of(node, parameters);
  auto read = waits::read_for_event(config, waits::for_event_rules(step.given.account.get()));
  if (!read) return fail_node(step, id, refused(read.error().front()));
  auto scope = waits::scope_of(*read, !run.contact_id.empty());
  if (!scope) return fail_node(step, id, refused(scope.error()));
  Instant from = window_start(step, run.tokens.at(id), node.id, *read);
  WaitOpened opened{
      activation, "event",     step.at + read->timeout, timer_id_of(run, activation), "",
      {},         "for_event", std::move(config)};
  opened.intent = told_of_window(step, *read);
  opened.listeners = listeners_of(*read, *scope, from, phone_of(step.given.contact.get()));
  step.touch(activation.lineage);
  step.emit(std::move(opened));
  hold_at_limit(step, {WaitSource::graph, id});
}

void take_event(Step& step, TokenId id, size_t listener, const Signal& signal) {
  const Wait& wait = step.run.waits.at({WaitSource::graph, id});
  Value shown = shown_signal(signal);
  step.emit(SignalMatched{wait.id, static_cast<uint32_t>(listener), signal.id, shown});
  bool all = wait.config.get("mode") == Value("all");
  bool open = std::any_of(wait.listeners.begin(), wait.listeners.end(),
                          [](const Listener& one) { return one.status == ListenerStatus::active; });
  if (all && open) return;
  std::string branch;
  if (const Value& events = wait.config.get("events"); events.is_array() && !all)
    branch = text_in(events.items()[listener], "branch");
  Lineage lineage = step.run.tokens.at(id).lineage;
  auto edges = edges_to(step.run, id, branch);
  // A version the run was moved to may have no such edge any more.
  if (!edges) edges = edges_to(step.run, id, "");
  resume(step, id, "event", std::move(shown), signal.id, std::move(edges), branch);
  settle(step, lineage);
}

void time_out_event_wait(Step& step, TokenId id) {
  const Value config = step.run.waits.at({WaitSource::graph, id}).config;
  std::string action = text_in(config, "timeout_action");
  Lineage lineage = step.run.tokens.at(id).lineage;
  if (action == "exit" || action == "end") {
    resume(step, id, "timeout", {}, "", {}, "");
    return exit_run(step, "wait_timeout");
  }
  std::string branch;
  if (action == "branch") branch = text_in(config, "timeout_edge_id");
  if (action == "branch" && branch.empty()) branch = text_in(config, "timeout_step");
  resume(step, id, "timeout", {}, "", edges_to(step.run, id, branch), branch);
  settle(step, lineage);
}

void resume_event_by_hand(Step& step, TokenId id, const Value& event,
                          std::vector<EdgeIndex> edges) {
  Lineage lineage = step.run.tokens.at(id).lineage;
  resume(step, id, "manual", event, "", std::move(edges), "");
  settle(step, lineage);
}

}  // namespace fermata::graph
