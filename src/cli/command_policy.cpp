#include <array>
#include <filesystem>

#include "cli/checked_file.h"
#include "cli/engine.h"
#include "cli/remote.h"
#include "core/policy/document.h"

namespace fermata::cli {
namespace {

policy::DocumentKind kind_of(const Arguments& arguments) {
  std::string kind = arguments.get("kind").value_or("base");
  if (kind == "bundle") return policy::DocumentKind::bundle;
  if (kind == "invariants") return policy::DocumentKind::invariants;
  return policy::DocumentKind::base;
}

Exit check_policy_file(const Arguments& arguments, Surroundings& around) {
  policy::TextReader reader = around.world.policy_texts();
  auto check = [&](const Value& document, std::string& well) {
    auto reading = policy::read_document(document, kind_of(arguments), reader.check);
    size_t rules = reading.document.rules.size();
    well = std::to_string(rules) + (rules == 1 ? " rule" : " rules");
    return std::move(reading.findings);
  };
  return check_document(arguments.positional()[1], check, around);
}

/// `topic=job.pay labels.amount=20 risk_tags=money,pii`
Outcome<Value> facts_of(const Arguments& arguments) {
  Value facts = Value::object();
  for (size_t i = 1; i < arguments.positional().size(); ++i) {
    const std::string& given = arguments.positional()[i];
    size_t equal = given.find('=');
    if (equal == std::string::npos)
      return fail(ErrorCode::usage, "'" + given + "' is no NAME=VALUE.");
    std::string name = given.substr(0, equal);
    std::string value = given.substr(equal + 1);
    if (name.starts_with("labels.")) {
      Value labels = facts.get("labels").is_object() ? facts.get("labels") : Value::object();
      labels.set(name.substr(7), value);
      facts.set("labels", std::move(labels));
    } else if (name == "risk_tags" || name == "requires") {
      Value list = Value::array();
      for (size_t at = 0; at <= value.size();) {
        size_t end = std::min(value.find(',', at), value.size());
        if (end > at) list.push(value.substr(at, end - at));
        at = end + 1;
      }
      facts.set(name, std::move(list));
    } else if (name == "input_size" || name == "max_cost_micros") {
      facts.set(name, static_cast<int64_t>(std::strtoll(value.c_str(), nullptr, 10)));
    } else {
      facts.set(name, value);
    }
  }
  return facts;
}

Outcome<Value> explained(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(facts, facts_of(arguments));
  Value body = Value::object({{"facts", std::move(facts)}});
  if (auto file = arguments.get("candidate")) {
    FERMATA_TRY(text, read_file(*file));
    body.set("candidate", text);
  }
  FERMATA_TRY(client, Client::from(arguments, around));
  return client.post("/policy/explain", body);
}

Exit explain(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto answer = explained(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
    return Exit::ok;
  }
  std::string rule = text_at(*answer, "rule_id");
  std::string reason = text_at(*answer, "reason");
  terminal.line(text_at(*answer, "decision") +
                (rule.empty() ? "  (default)" : "  by rule " + rule) +
                (reason.empty() ? "" : ": " + reason));
  Table table({"LAYER", "BUNDLE", "RULE", "DECISION", "MATCHED", "FAILED AT"});
  for (const Value& line : answer->get("rules").items())
    table.row({text_at(line, "layer"), text_at(line, "bundle"), text_at(line, "rule_id"),
               text_at(line, "decision"), line.get("matched") == Value(true) ? "yes" : "no",
               text_at(line, "failed")});
  table.print(terminal);
  return Exit::ok;
}

Outcome<Value> rehearsed(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(text, read_file(arguments.positional()[1]));
  Value body = Value::object({{"candidate", text}});
  for (const char* name : {"from", "to"})
    if (auto value = arguments.get(name)) body.set(name, *value);
  FERMATA_TRY(limit, arguments.number("limit", 1));
  if (limit) body.set("limit", *limit);
  FERMATA_TRY(client, Client::from(arguments, around));
  return client.post("/policy/rehearse", body);
}

/// What would be otherwise, a line each.
Exit rehearse(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto answer = rehearsed(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
    return Exit::ok;
  }
  auto count = [&](std::string_view name) { return std::to_string(number_at(*answer, name)); };
  terminal.line(count("total") + " decisions: " + count("same") + " the same, " +
                count("stricter") + " stricter, " + count("milder") + " milder");
  if (answer->get("changes").size() > 0) {
    Table table({"JOB", "TOPIC", "AT", "WAS", "WOULD BE", "RULE"});
    for (const Value& change : answer->get("changes").items())
      table.row({text_at(change, "job_id"), text_at(change, "topic"),
                 short_time(text_at(change, "at")), text_at(change, "was"),
                 text_at(change, "would_be"), text_at(change, "rule")});
    table.print(terminal);
  }
  for (std::string_view name : {"pending_affected", "runs_stalled", "undo_blocked"})
    if (size_t affected = answer->get(name).size(); affected > 0)
      terminal.line(std::string(name) + ": " + std::to_string(affected));
  return Exit::ok;
}

Exit policy_action(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 100, "check FILE, explain FACT… or rehearse FILE");
      !expected)
    return terminal.fail(expected.error());
  const std::string& action = arguments.positional()[0];
  bool of_file = action == "check" || action == "rehearse";
  if (of_file && arguments.positional().size() != 2)
    return terminal.fail({ErrorCode::usage, "'" + action + "' needs one file.", {}});
  if (action == "check") return check_policy_file(arguments, around);
  if (action == "explain") return explain(arguments, around);
  if (action == "rehearse") return rehearse(arguments, around);
  return terminal.fail(
      {ErrorCode::usage, "'" + action + "' is none of check, explain, rehearse.", {}});
}

}  // namespace

CliCommand policy_command() {
  return {
      "policy",
      "check FILE | explain FACT… | rehearse FILE",
      "Check a policy file, ask what policy would say, or judge the past by another policy.",
      "`check` needs no server and names every mistake with line and column. `explain` takes "
      "facts as NAME=VALUE (topic, capability, labels.NAME, risk_tags=a,b …) and shows why "
      "each rule did or did not decide. `rehearse` judges the decision log by the file and "
      "lists what would have been otherwise; nothing is written.",
      {{"kind", "KIND", "of the document that is checked: base (without it), bundle, invariants"},
       {"candidate", "FILE", "explain by this file instead of the policy in force"},
       {"from", "TIME", "rehearse decisions made since"},
       {"to", "TIME", "rehearse decisions made before"},
       {"limit", "N", "rehearse the newest N decisions, 100000 at most"},
       server_option()},
      "fermata policy check examples/safety.yaml",
      policy_action};
}

}  // namespace fermata::cli
