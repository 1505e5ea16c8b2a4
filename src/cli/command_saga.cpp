#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> list(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  for (const char* name : {"status", "cursor"})
    if (auto value = arguments.get(name))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  return client.get("/sagas" + query);
}

Outcome<Value> act(const Arguments& arguments, const Client& client) {
  const std::string& action = arguments.positional()[0];
  bool entry = action == "retry" || action == "skip";
  FERMATA_TRY_VOID(arguments.expect(entry ? 3 : 2, entry ? 3 : 2,
                                    "an action, the id of an execution, and for retry and skip "
                                    "the number of an entry"));
  std::string path = execution_path(arguments.positional()[1]);
  if (action == "show") return client.get(path + "/saga");
  if (action == "close") return client.post(path + "/saga/close", Value::object());
  Value body = Value::object();
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  if (action == "rollback") return client.post(path + "/rollback", body);
  if (!entry)
    return fail(ErrorCode::usage,
                "'" + action + "' is none of show, rollback, retry, skip, close.");
  std::string at = path + "/saga/" + url_escaped(arguments.positional()[2]);
  return client.post(at + "/" + action, body);
}

void print_sagas(const Value& page, const Terminal& terminal) {
  Table table({"ID", "WORKFLOW", "STATUS", "SAGA", "STARTED"});
  for (const Value& run : page.get("items").items())
    table.row({text_at(run, "id"), text_at(run, "workflow_id"), text_at(run, "status"),
               text_at(run, "saga"), short_time(text_at(run, "started_at"))});
  table.print(terminal, 3);
  tell_of_more(page, terminal);
}

Exit saga(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool lists = arguments.positional().empty();
  auto answer = [&]() -> Outcome<Value> {
    FERMATA_TRY(client, Client::from(arguments, around));
    return lists ? list(arguments, client) : act(arguments, client);
  }();
  if (!answer) return terminal.fail(answer.error());
  if (lists && !terminal.json) {
    print_sagas(*answer, terminal);
  } else {
    terminal.value(*answer);
  }
  return Exit::ok;
}

}  // namespace

CliCommand saga_command() {
  return {"saga",
          "[show|rollback|retry|skip|close ID [ENTRY]]",
          "List executions with something to undo, look at one, or undo it.",
          "What an execution has done is undone last first. An entry that cannot be undone is "
          "parked and holds the older ones until it is retried or skipped.",
          {{"status", "STATUS", "only open, rolling_back, parked, rolled_back or closed ones"},
           {"reason", "TEXT", "why; needed to skip an entry"},
           {"limit", "N", "how many to list; 50"},
           {"cursor", "TEXT", "where the page before ended"},
           server_option()},
          "fermata saga skip 0198c1f2-… 2 --reason 'refunded by hand'",
          saga};
}

}  // namespace fermata::cli
