#include "cli/approval_answers.h"

namespace fermata::cli {
namespace {

Outcome<Value> page_of(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  if (!arguments.has("all")) query += "&status=pending";
  if (auto workflow = arguments.get("workflow")) query += "&workflow_id=" + url_escaped(*workflow);
  if (auto cursor = arguments.get("cursor")) query += "&cursor=" + url_escaped(*cursor);
  return client.get("/approvals" + query);
}

Outcome<Value> answered(const Arguments& arguments, const Surroundings& around, bool approve) {
  FERMATA_TRY_VOID(arguments.expect(1, 1, "the id of an approval"));
  if (!approve && !arguments.get("reason"))
    return fail(ErrorCode::usage, "--reason is needed: whoever asked is told why.");
  FERMATA_TRY(client, Client::from(arguments, around));
  std::string path = "/approvals/" + url_escaped(arguments.positional()[0]);
  std::string hash = arguments.get("hash").value_or("");
  if (hash.empty()) {
    FERMATA_TRY(asked, client.get(path));
    hash = text_at(asked, "hash");
  }
  Value body = Value::object({{"hash", hash}});
  if (auto note = arguments.get("note")) body.set("note", *note);
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  return client.post(path + (approve ? "/approve" : "/reject"), body);
}

}  // namespace

Exit list_approvals(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto page = page_of(arguments, around);
  if (!page) return terminal.fail(page.error());
  if (terminal.json) {
    terminal.value(*page);
    return Exit::ok;
  }
  Table table({"ID", "TITLE", "WORKFLOW", "STEP", "STATUS", "ASKED", "UNTIL"});
  for (const Value& one : page->get("items").items())
    table.row({text_at(one, "id"), text_at(one, "title"), text_at(one, "workflow_id"),
               text_at(one, "step_id"), text_at(one, "status"),
               short_time(text_at(one, "asked_at")), short_time(text_at(one, "expires_at"))});
  table.print(terminal, 4);
  tell_of_more(*page, terminal);
  return Exit::ok;
}

Exit answer_approval(const Arguments& arguments, Surroundings& around, bool approve) {
  const Terminal& terminal = around.terminal;
  auto approval = answered(arguments, around, approve);
  if (!approval) return terminal.fail(approval.error());
  if (terminal.json) {
    terminal.value(*approval);
  } else {
    terminal.line(text_at(*approval, "id") + " " + text_at(*approval, "status"));
  }
  return Exit::ok;
}

}  // namespace fermata::cli
