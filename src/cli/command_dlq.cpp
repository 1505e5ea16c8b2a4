#include "base/json.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

struct Named {
  std::string_view option, name;
};
constexpr Named filters[] = {
    {"reason-code", "reason_code"}, {"topic", "topic"}, {"status", "status"}, {"job", "job_id"},
    {"execution", "run_id"},        {"from", "from"},   {"to", "to"}};

Outcome<Value> list_letters(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  for (auto [option, name] : filters)
    if (auto value = arguments.get(option))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  if (arguments.is_set("all")) query += "&state=all";
  if (auto cursor = arguments.get("cursor")) query += "&cursor=" + url_escaped(*cursor);
  return client.get("/dlq" + query);
}

/// The filter that the options make; an empty one needs `--all`.
Outcome<Value> selection(const Arguments& arguments) {
  Value filter = Value::object();
  for (auto [option, name] : filters)
    if (auto value = arguments.get(option)) filter.set(name, *value);
  if (filter.size() == 0 && !arguments.is_set("all"))
    return fail(ErrorCode::usage, "Name an entry or a filter, or say --all.");
  return filter;
}

Outcome<Value> retry_many(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(filter, selection(arguments));
  Value body = Value::object({{"action", "retry"}, {"filter", std::move(filter)}});
  if (arguments.is_set("all")) body.set("all", true);
  if (arguments.is_set("dry-run")) body.set("dry_run", true);
  FERMATA_TRY(rate, arguments.number("rate", 1));
  if (rate) body.set("rate_per_second", *rate);
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  return client.post("/dlq/bulk", body);
}

Outcome<Value> purge(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(filter, selection(arguments));
  Value body = Value::object({{"filter", filter.size() > 0 ? filter : Value("all")}});
  if (arguments.is_set("dry-run")) body.set("dry_run", true);
  return client.post("/dlq/purge", body);
}

Outcome<Value> act_on_letters(const Arguments& arguments, const Client& client) {
  const std::string& action = arguments.positional()[0];
  bool whole = action == "stats" || action == "purge" ||
               (action == "retry" && arguments.positional().size() == 1);
  FERMATA_TRY_VOID(
      arguments.expect(whole ? 1 : 2, whole ? 1 : 2, "an action and the id of an entry"));
  if (action == "stats") return client.get("/dlq/stats");
  if (action == "purge") return purge(arguments, client);
  if (whole) return retry_many(arguments, client);
  std::string path = "/dlq/" + url_escaped(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  if (action == "discard") {
    FERMATA_TRY_VOID(client.remove(path));
    return client.get(path);
  }
  if (action != "retry")
    return fail(ErrorCode::usage,
                "'" + action + "' is none of show, retry, discard, purge, stats.");
  Value body = Value::object();
  if (auto changes = arguments.get("changes")) {
    auto value = parse_json(*changes);
    if (!value) return fail(ErrorCode::usage, "--changes is no JSON: " + value.error().message);
    body.set("changes", *std::move(value));
  }
  return client.post(path + "/retry", body);
}

void print_letters_list(const Value& page, const Terminal& terminal) {
  Table table({"ID", "JOB", "TOPIC", "STATUS", "REASON", "RESOLVED", "SINCE"});
  for (const Value& entry : page.get("items").items())
    table.row({text_at(entry, "id"), text_at(entry, "job_id"), text_at(entry, "topic"),
               text_at(entry, "status"), text_at(entry, "reason_code"),
               text_at(entry, "resolution"), short_time(text_at(entry, "created_at"))});
  table.print(terminal, 3);
  tell_of_more(page, terminal);
}

Exit dlq(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool lists = arguments.positional().empty();
  auto answer = [&]() -> Outcome<Value> {
    FERMATA_TRY(client, Client::from(arguments, around));
    return lists ? list_letters(arguments, client) : act_on_letters(arguments, client);
  }();
  if (!answer) return terminal.fail(answer.error());
  bool retried = !lists && arguments.positional()[0] == "retry" && answer->find("dlq_entry");
  if (lists && !terminal.json) {
    print_letters_list(*answer, terminal);
  } else if (retried && !terminal.json) {
    terminal.line(text_at(*answer, "dlq_entry") + " retried as " + text_at(*answer, "id") + " " +
                  text_at(*answer, "state"));
  } else {
    terminal.value(*answer);
  }
  return Exit::ok;
}

}  // namespace

CliCommand dlq_command() {
  return {"dlq",
          "[show|retry|discard ID | retry|purge FILTER… | stats]",
          "List jobs that ended badly, retry them, or put them aside.",
          "`retry` without an id retries all that the options select, as an operation in the "
          "background; `--dry-run` shows what it would do. A job of an execution is retried by "
          "`fermata retry`.",
          {{"reason-code", "CODE", "that ended for this reason, such as retries_exhausted"},
           {"topic", "TOPIC", "of one topic; `*` stands for any characters"},
           {"status", "STATE", "that ended as failed, timeout, denied or output_quarantined"},
           {"job", "ID", "of one job"},
           {"execution", "ID", "of one execution"},
           {"from", "TIME", "since, RFC 3339"},
           {"to", "TIME", "before, RFC 3339"},
           {"all", "", "list resolved ones too; retry or purge every open one"},
           {"changes", "JSON",
            "what is otherwise in the retried job: topic, input, labels, "
            "priority, budget"},
           {"rate", "N", "retry at most so many per second"},
           {"dry-run", "", "show what retry or purge would do"},
           {"reason", "TEXT", "why, for the audit"},
           {"limit", "N", "at most so many, 50 without it"},
           {"cursor", "TEXT", "go on where the last list ended"},
           server_option()},
          "fermata dlq retry --topic 'mail.*' --rate 10 --dry-run",
          dlq};
}

}  // namespace fermata::cli
