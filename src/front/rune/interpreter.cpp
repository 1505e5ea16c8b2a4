#include "front/rune/interpreter.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/trace_context.h"
#include "front/inlined_credentials.h"
#include "front/rune/token_message.h"

namespace fermata::rune {

namespace {

constexpr size_t id_bytes_max = 100;
constexpr size_t known_max = 256;
constexpr uint32_t visits_max = 1'000;
constexpr const char* actor = "rabbitmq";

bool is_id(const std::string& text) {
  if (text.empty() || text.size() > id_bytes_max) return false;
  for (char c : text)
    if (c <= ' ' || c > '~' || c == '/' || c == '?' || c == '#' || c == '%') return false;
  return true;
}

/// Definitions of Rune may go in circles without saying how often (G-6).
Value with_visit_limits(Value document) {
  Value nodes = Value::array();
  for (const Value& node : document.get("nodes").items()) {
    Value limited = node;
    if (limited.is_object() && !limited.find("max_visits")) limited.set("max_visits", visits_max);
    nodes.push(std::move(limited));
  }
  document.set("nodes", std::move(nodes));
  return document;
}

bool is_only_unbounded(const std::vector<Finding>& errors) {
  if (errors.empty()) return false;
  for (const Finding& finding : errors)
    if (finding.code != "cycle_unbounded") return false;
  return true;
}

/// A text in which nothing is a reference or an expression (G-13).
std::string as_plain_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '{' && out.ends_with('{')) out += ' ';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

/// A run of this ends at once with the mistakes of the definition it stands for, so that the
/// sender hears of them (C-56).
Value failing_document(const std::string& node, const std::vector<Finding>& errors) {
  std::string message = "The definition has errors";
  for (size_t i = 0; i < errors.size() && i < 5; ++i)
    message += (i == 0 ? ": " : "; ") + errors[i].path + " " + errors[i].message;
  message = as_plain_text(message);
  return Value::object(
      {{"nodes",
        Value::array({Value::object({{"id", node},
                                     {"name", node},
                                     {"type", "fail"},
                                     {"parameters", Value::object({{"code", "invalid_definition"},
                                                                   {"message", message}})}})})},
       {"edges", Value::array()},
       {"entry", node}});
}

std::string definition_id(const std::string& workflow) {
  std::string id = "rune." + workflow;
  return id.size() <= id_bytes_max ? id : "rune." + sha256_hex(workflow).substr(0, 32);
}

bool stands_in(const graph::Definition& definition) {
  return definition.nodes.size() == 1 && definition.nodes[0].type == graph::NodeType::fail &&
         definition.nodes[0].raw.get("code") == Value("invalid_definition");
}

/// What was published by this program carries its origin.
bool is_ours(const BusDelivery& delivery) {
  return find_header(delivery.headers, "x-fermata-origin") != nullptr;
}

/// The token that comes back with a message of our own (C-60), or 0.
uint64_t hop_of(const BusDelivery& delivery) {
  const std::string* token = find_header(delivery.headers, "x-fermata-token");
  if (!token || !is_ours(delivery) || token->empty() || token->size() > 19) return 0;
  uint64_t number = 0;
  for (char c : *token) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

}  // namespace

std::string mark_of(const BusDelivery& delivery) {
  return delivery.message_id.empty() ? "sha256:" + sha256_hex(delivery.body)
                                     : "id:" + delivery.message_id;
}

Reading RuneInterpreter::read(const BusDelivery& delivery) {
  if (delivery.body.size() > message_bytes_max)
    return Unusable{"too_large", "The message has " + std::to_string(delivery.body.size()) +
                                     " bytes; " + std::to_string(message_bytes_max) +
                                     " are the most."};
  auto body = parse_json(delivery.body);
  if (!body) return Unusable{"not_json", body.error().message};
  if (!body->is_object()) return Unusable{"not_json", "The message is no JSON object."};
  if (delivery.queue == timeout_queue) return read_timeout(delivery, *body);
  std::string run = text_in(*body, "execution_id");
  if (!is_id(run))
    return Unusable{"execution_id_missing",
                    "execution_id is missing or no id of 1 to 100 "
                    "printable characters."};
  if (text_in(*body, "current_node").empty())
    return Unusable{"current_node_missing", "current_node is missing or no text.", RunId(run)};
  return read_node(delivery, *body);
}

Reading RuneInterpreter::read_node(const BusDelivery& delivery, const Value& body) {
  RunId run(text_in(body, "execution_id"));
  auto known = parts_.reader.summary(run);
  if (!known) return NotNow{known.error()};
  if (*known && (*known)->account != options_.account)
    return Unusable{"execution_known", "The execution belongs to another account.", run};
  if (*known) {
    auto taken = parts_.outbox.is_marked(run, mark_of(delivery));
    if (!taken) return NotNow{taken.error()};
    if (*taken) return NothingToDo{"duplicate"};
    if (is_terminal((*known)->status)) return NothingToDo{"run_finished"};
  } else if (is_ours(delivery)) {
    // What is ours and came back after its run was lost is told to people (C-57).
    return Unusable{"orphan", "The message is of this cluster; its execution is not known.", run};
  }
  if (uint64_t token = hop_of(delivery); token != 0)
    return Understood{Command{run, TakeHop{token}, actor}, mark_of(delivery)};
  auto definition = *known ? definition_of_known(body, **known) : definition_of(body);
  if (!definition) {
    if (definition.error().code == ErrorCode::invalid_field)
      return Unusable{"definition_missing", definition.error().message, run};
    if (definition.error().code == ErrorCode::invalid_definition)
      return Unusable{"definition_mismatch", definition.error().message, run};
    return NotNow{definition.error()};
  }
  bool resumes = delivery.queue == resume_queue;
  if (*known && resumes && !(*definition)->node_by_id(text_in(body, "current_node")))
    return resume_by_step(delivery, body);
  return token_of(delivery, body, *definition, resumes);
}

Reading RuneInterpreter::token_of(const BusDelivery& delivery, const Value& body,
                                  const graph::DefinitionRef& definition, bool resumes) {
  // Where a definition has mistakes its nodes and edges mean nothing.
  Value bare = stands_in(*definition) ? Value::object({{"execution_id", body.get("execution_id")},
                                                       {"current_node", body.get("current_node")}})
                                      : body;
  auto read = read_token(*definition, bare, resumes, !is_ours(delivery));
  if (auto* unusable = std::get_if<Unusable>(&read)) return std::move(*unusable);
  TokenMessage& message = std::get<TokenMessage>(read);
  StartRun command;
  command.account = options_.account;
  command.workflow = WorkflowId(text_in(body, "workflow_id"));
  const Value& version = body.get("workflow_version");
  if (version.is_integer() && version.as_integer() > 0 && version.as_integer() <= UINT32_MAX)
    command.workflow_version = static_cast<uint32_t>(version.as_integer());
  command.definition = definition;
  command.input = message.input;
  command.trigger = message.input;
  command.trigger_kind = "rabbitmq";
  command.labels = Value::object();
  command.request_hash = mark_of(delivery);
  if (const std::string* trace = find_header(delivery.headers, "traceparent"))
    if (auto parsed = parse_trace(*trace, "")) command.trace.parent = traceparent_of(*parsed);
  if (!message.plain)
    command.arrival = std::make_shared<const ForeignToken>(std::move(message.token));
  RunId run(text_in(body, "execution_id"));
  return Understood{Command{run, std::move(command), actor}, mark_of(delivery)};
}

/// Waits of scripts and of the API are known by their step alone.
Reading RuneInterpreter::resume_by_step(const BusDelivery& delivery, const Value& body) {
  RunId run(text_in(body, "execution_id"));
  WaitFilter filter;
  filter.account = options_.account;
  filter.run = run;
  filter.step = text_in(body, "current_node");
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  auto waits = parts_.reader.list_waits(filter, 2, {});
  if (!waits) return NotNow{waits.error()};
  if (waits->items.empty())
    return Unusable{"wait_unknown", "No wait is open at " + filter.step + ".", run};
  if (waits->items.size() > 1)
    return Unusable{"wait_ambiguous", "Several waits are open at " + filter.step + ".", run};
  ResumeWait command;
  command.wait = waits->items.front().wait.id;
  command.reason = "workflow.resume";
  return Understood{Command{run, std::move(command), actor}, mark_of(delivery)};
}

/// Whatever is due of the run fires; what is not stays (C-57).
Reading RuneInterpreter::read_timeout(const BusDelivery&, const Value& body) {
  std::string run = text_in(body, "exec_id");
  if (!is_id(run) || text_in(body, "node_id").empty())
    return Unusable{"execution_id_missing", "exec_id and node_id are required."};
  auto known = parts_.reader.summary(RunId(run));
  if (!known) return NotNow{known.error()};
  if (!*known) return NothingToDo{"execution_unknown"};
  return Understood{Command{RunId(run), WakeRun{}, actor}, ""};
}

Reading RuneInterpreter::refused(const BusDelivery& delivery, const Error& error) {
  auto body = parse_json(delivery.body);
  RunId run(body ? text_in(*body, "execution_id") : "");
  switch (error.code) {
    case ErrorCode::run_finished:
    case ErrorCode::nothing_due:
    case ErrorCode::activation_closed:
    case ErrorCode::wait_ended: return NothingToDo{std::string(name_of(error.code))};
    // A start under another id, of an execution that is there.
    case ErrorCode::idempotency_key_reused: return NothingToDo{"started_already"};
    case ErrorCode::invalid_definition: return Unusable{"definition_mismatch", error.message, run};
    case ErrorCode::invalid_field: return Unusable{"lineage_invalid", error.message, run};
    case ErrorCode::queue_full:
    case ErrorCode::run_paused:
    case ErrorCode::wait_limit_account: return NotNow{error};
    default: return Unusable{std::string(name_of(error.code)), error.message, run};
  }
}

/// What the message brings must be what the run has. One that brings none means that.
Outcome<graph::DefinitionRef> RuneInterpreter::definition_of_known(const Value& body,
                                                                   const RunSummary& known) {
  const Value& document = body.get("workflow_definition");
  if (!document.is_object() || !document.find("nodes"))
    return parts_.definitions.load(known.definition);
  graph::CheckedDefinition checked = check(document);
  if (!checked.errors.empty() || checked.definition->hash != known.definition)
    return fail(ErrorCode::invalid_definition,
                "The message brings another definition than the execution has.");
  // Senders refresh tokens under an id that is known.
  FERMATA_TRY_VOID(keep_credentials(document));
  return parts_.definitions.keep(checked.definition);
}

graph::CheckedDefinition RuneInterpreter::check(const Value& document) const {
  graph::CheckedDefinition checked = graph::check_definition(document, {}, limits_);
  if (!is_only_unbounded(checked.errors)) return checked;
  return graph::check_definition(with_visit_limits(document), {}, limits_);
}

Outcome<graph::DefinitionRef> RuneInterpreter::definition_of(const Value& body) {
  const Value& document = body.get("workflow_definition");
  if (!document.is_object())
    return fail(ErrorCode::invalid_field, "workflow_definition is missing or no object.");
  std::string at = text_in(body, "current_node");
  std::string print = sha256_hex(at + "\n" + to_json(document));
  if (auto found = known_.find(print); found != known_.end()) {
    // Senders refresh tokens under an id that is known.
    FERMATA_TRY_VOID(keep_credentials(document));
    return found->second;
  }
  graph::CheckedDefinition checked = check(document);
  bool usable = checked.errors.empty();
  if (usable) {
    FERMATA_TRY_VOID(keep_credentials(document));
  } else {
    checked = graph::check_definition(failing_document(at, checked.errors), {}, limits_);
    if (!checked.definition)
      return fail(ErrorCode::invalid_field, "workflow_definition cannot be read.");
  }
  FERMATA_TRY(kept, keep(checked, body));
  known_[print] = kept;
  known_order_.push_back(print);
  if (known_order_.size() > known_max) {
    known_.erase(known_order_.front());
    known_order_.pop_front();
  }
  return kept;
}

/// Under a name of its own: what people have saved under the sender's name is theirs.
Outcome<graph::DefinitionRef> RuneInterpreter::keep(const graph::CheckedDefinition& checked,
                                                    const Value& body) {
  graph::DefinitionRef definition = parts_.definitions.keep(checked.definition);
  FERMATA_TRY(stored, parts_.catalog.definition(definition->hash));
  if (stored) return definition;
  WorkflowPut put;
  put.account = options_.account;
  put.id = WorkflowId(definition_id(text_in(body, "workflow_id")));
  put.hash = definition->hash;
  put.canonical = to_canonical_json(definition->canonical);
  put.layout = checked.layout;
  put.at = parts_.clock.now();
  put.actor = actor;
  AuditLine line{put.account,         put.at, actor, "workflow.put", put.id.text(),
                 "came in a message", {}};
  FERMATA_TRY_VOID(parts_.catalog.put_workflow(put, line));
  return definition;
}

/// Values of credentials are sealed under their id and go no further (C-59). The sender's win.
Outcome<void> RuneInterpreter::keep_credentials(const Value& document) {
  for (const front::InlinedValues& inlined : front::inlined_values(document)) {
    if (inlined.id.empty()) continue;
    std::string type = inlined.type.empty() ? "generic" : inlined.type;
    FERMATA_TRY(known, parts_.catalog.credential(options_.account, inlined.id));
    if (known) {
      auto opened = parts_.vault.open(*known);
      if (opened && *opened == inlined.values) continue;
      type = known->type;
    }
    FERMATA_TRY(sealed, parts_.vault.seal(options_.account, inlined.id, type, inlined.values));
    CredentialPut put;
    put.account = options_.account;
    put.id = inlined.id;
    put.name = known ? known->name : inlined.name.empty() ? inlined.id : inlined.name;
    put.type = type;
    put.sealed = std::move(sealed);
    put.at = parts_.clock.now();
    AuditLine line{put.account, put.at, actor, "credential.put", put.id, "came in a message", {}};
    FERMATA_TRY_VOID(parts_.catalog.put_credential(put, line));
  }
  return {};
}

}  // namespace fermata::rune
