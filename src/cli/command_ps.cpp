#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<std::string> query_of(const Arguments& arguments) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  for (std::string_view name : {"status", "label", "q", "from", "to", "sort", "cursor"})
    if (auto value = arguments.get(name))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  if (auto workflow = arguments.get("workflow")) query += "&workflow_id=" + url_escaped(*workflow);
  return query;
}

Outcome<Value> list_executions(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(0, 0, ""));
  FERMATA_TRY(client, Client::from(arguments, around));
  FERMATA_TRY(query, query_of(arguments));
  return client.get("/executions" + query);
}

Exit ps(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto page = list_executions(arguments, around);
  if (!page) return terminal.fail(page.error());
  if (terminal.json) {
    terminal.value(*page);
    return Exit::ok;
  }
  Table table({"ID", "WORKFLOW", "STATUS", "STARTED", "ENDED OR NEXT"});
  for (const Value& run : page->get("items").items()) {
    std::string then = text_at(run, "completed_at");
    if (then.empty()) then = text_at(run, "next_due_at");
    table.row({text_at(run, "id"), text_at(run, "workflow_id") + "@" + text_at(run, "version"),
               text_at(run, "status"), short_time(text_at(run, "started_at")), short_time(then)});
  }
  table.print(terminal, 2);
  tell_of_more(*page, terminal);
  return Exit::ok;
}

}  // namespace

CliCommand ps_command() {
  return {
      "ps",
      "",
      "List executions, newest first.",
      "",
      {{"status", "STATUS,…", "running, waiting, paused, completed, failed, cancelled, timed_out"},
       {"workflow", "ID", "of one workflow"},
       {"label", "KEY[:VALUE]", "with a label"},
       {"q", "TEXT", "whose id, workflow or error code holds the text"},
       {"from", "TIME", "started at or after, RFC 3339"},
       {"to", "TIME", "started before, RFC 3339"},
       {"sort", "ORDER", "started_at: oldest first; -started_at: newest first"},
       {"limit", "N", "at most so many, 50 without it"},
       {"cursor", "TEXT", "go on where the last list ended"},
       server_option()},
      "fermata ps --status waiting,running",
      ps};
}

}  // namespace fermata::cli
