#include "base/json.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> list_jobs(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  struct Named {
    std::string_view option, name;
  };
  for (auto [option, name] : {Named{"state", "state"},
                              {"topic", "topic"},
                              {"label", "label"},
                              {"execution", "run_id"},
                              {"worker", "worker_id"},
                              {"pool", "pool"},
                              {"reason-code", "reason_code"},
                              {"q", "q"},
                              {"from", "from"},
                              {"to", "to"},
                              {"cursor", "cursor"}})
    if (auto value = arguments.get(option))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  return client.get("/jobs" + query);
}

Outcome<Value> json_of(const std::string& text, const std::string& option) {
  auto value = parse_json(text);
  if (value) return value;
  return fail(ErrorCode::usage, "--" + option + " is no JSON: " + value.error().message);
}

Outcome<Value> submit(const Arguments& arguments, const Client& client) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "submit and a topic"));
  Value body = Value::object({{"topic", arguments.positional()[1]}});
  if (auto input = arguments.get("input")) {
    FERMATA_TRY(value, json_of(*input, "input"));
    body.set("input", std::move(value));
  }
  if (auto given = arguments.get("job")) {
    FERMATA_TRY(more, json_of(*given, "job"));
    if (!more.is_object()) return fail(ErrorCode::usage, "--job is an object of further fields.");
    for (const Value::Member& member : more.members())
      body.set(member.key.as_string(), member.value);
  }
  for (const char* name : {"id", "priority"})
    if (auto value = arguments.get(name)) body.set(name, *value);
  std::string wait;
  if (auto time = arguments.get("wait")) wait = "?wait=" + url_escaped(*time);
  return client.post("/jobs" + wait, body);
}

Outcome<Value> act_on_jobs(const Arguments& arguments, const Client& client) {
  const std::string& action = arguments.positional()[0];
  if (action == "submit") return submit(arguments, client);
  bool remediate = action == "remediate";
  FERMATA_TRY_VOID(arguments.expect(remediate ? 3 : 2, remediate ? 3 : 2,
                                    "an action, the id of a job, and for remediate the id of a "
                                    "proposal"));
  std::string path = "/jobs/" + url_escaped(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  for (std::string_view part : {"attempts", "decisions", "logs", "result", "history"})
    if (action == part) return client.get(path + "/" + action);
  Value body = Value::object();
  if (remediate) {
    body.set("remediation_id", arguments.positional()[2]);
    return client.post(path + "/remediate", body);
  }
  if (action != "cancel")
    return fail(ErrorCode::usage,
                "'" + action +
                    "' is none of submit, show, attempts, decisions, logs, result, history, "
                    "cancel, remediate.");
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  return client.post(path + "/cancel", body);
}

void print_jobs_list(const Value& page, const Terminal& terminal) {
  Table table({"ID", "TOPIC", "STATE", "WHY", "TRIES", "WORKER", "SUBMITTED"});
  for (const Value& job : page.get("items").items()) {
    std::string why = text_at(job, "reason_code");
    if (why.empty()) why = text_at(job, "phase");
    table.row({text_at(job, "id"), text_at(job, "topic"), text_at(job, "state"), why,
               text_at(job, "attempt"), text_at(job, "worker_id"),
               short_time(text_at(job, "submitted_at"))});
  }
  table.print(terminal, 2);
  tell_of_more(page, terminal);
}

/// `ID STATE (why)`, and below it the ways that a rule proposes instead.
void print_receipt(const Value& job, const Terminal& terminal) {
  std::string why = text_at(job, "reason_code");
  if (why.empty()) why = text_at(job, "phase");
  terminal.line(text_at(job, "id") + " " + text_at(job, "state") +
                (why.empty() ? "" : " (" + why + ")"));
}

Exit jobs(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool lists = arguments.positional().empty();
  auto answer = [&]() -> Outcome<Value> {
    FERMATA_TRY(client, Client::from(arguments, around));
    return lists ? list_jobs(arguments, client) : act_on_jobs(arguments, client);
  }();
  if (!answer) return terminal.fail(answer.error());
  std::string action = lists ? "" : arguments.positional()[0];
  bool receipt =
      (action == "submit" && !arguments.has("wait")) || action == "cancel" || action == "remediate";
  if (terminal.json) {
    terminal.value(*answer);
  } else if (lists) {
    print_jobs_list(*answer, terminal);
  } else if (receipt) {
    print_receipt(*answer, terminal);
  } else {
    terminal.value(*answer);
  }
  return Exit::ok;
}

}  // namespace

CliCommand jobs_command() {
  return {"jobs",
          "[submit TOPIC | show|attempts|decisions|logs|result|history|cancel ID | remediate ID "
          "PROPOSAL]",
          "List jobs, submit one, or look at, cancel or remediate one.",
          "A job that policy denies may have proposals of its rule, shown under `verdict`: "
          "`remediate` submits it that way, as a new job.",
          {{"state", "STATE,…",
            "only in these states: pending, approval_required, scheduled, dispatched, running, "
            "retrying, succeeded, failed, timeout, cancelled, denied, output_quarantined"},
           {"topic", "TOPIC", "of one topic; `*` stands for any characters"},
           {"label", "KEY[:VALUE]", "with a label"},
           {"execution", "ID", "of one execution"},
           {"worker", "ID", "last given to this worker"},
           {"pool", "NAME", "last given to this pool"},
           {"reason-code", "CODE", "that ended or wait for this reason"},
           {"q", "TEXT", "whose id or topic holds the text"},
           {"from", "TIME", "submitted at or after, RFC 3339"},
           {"to", "TIME", "submitted before, RFC 3339"},
           {"input", "JSON", "what the worker is given"},
           {"job", "JSON", "further fields of the job, such as labels and budget"},
           {"id", "ID", "its id, so that a repeat is the same job"},
           {"priority", "NAME", "critical, interactive (without it) or batch"},
           {"wait", "TIME", "wait so long for its end, such as 10s"},
           {"reason", "TEXT", "why it is cancelled"},
           {"limit", "N", "at most so many, 50 without it"},
           {"cursor", "TEXT", "go on where the last list ended"},
           server_option()},
          "fermata jobs --state failed,denied --topic 'pay.*'",
          jobs};
}

}  // namespace fermata::cli
