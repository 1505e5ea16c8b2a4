#include "cli/remote.h"

namespace fermata::cli {
namespace {

std::string path_of(const std::string& id) { return "/contacts/" + url_escaped(id); }

Outcome<Value> list_contacts(const Arguments& arguments, const Client& client) {
  FERMATA_TRY(limit, arguments.number("limit", 1));
  std::string query = "?limit=" + std::to_string(limit.value_or(50));
  for (const char* name : {"phone", "email", "q", "cursor"})
    if (auto value = arguments.get(name))
      query += "&" + std::string(name) + "=" + url_escaped(*value);
  if (arguments.has("opted-out")) query += "&opted_out=true";
  return client.get("/contacts" + query);
}

Outcome<Value> act_on_contacts(const Arguments& arguments, const Client& client) {
  const std::string& action = arguments.positional()[0];
  bool put = action == "put";
  FERMATA_TRY_VOID(
      arguments.expect(2, put ? 3 : 2, "an action, the id of a contact, and for put its JSON"));
  std::string path = path_of(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  if (put)
    return client.put(path, arguments.positional().size() > 2 ? arguments.positional()[2] : "{}");
  if (action == "delete") {
    std::string reason = arguments.get("reason").value_or("");
    FERMATA_TRY_VOID(
        client.remove(path + (reason.empty() ? "" : "?reason=" + url_escaped(reason))));
    return Value::object({{"contact_id", arguments.positional()[1]}, {"success", true}});
  }
  if (action != "opt-out" && action != "opt-in")
    return fail(ErrorCode::usage,
                "'" + action + "' is none of show, put, opt-out, opt-in, delete.");
  Value body = Value::object();
  if (auto reason = arguments.get("reason")) body.set("reason", *reason);
  if (auto workflow = arguments.get("workflow")) body.set("workflow_id", *workflow);
  return client.post(path + "/" + action, body);
}

void print_contacts_list(const Value& page, const Terminal& terminal) {
  Table table({"ID", "ZONE", "PHONE", "EMAIL", "OUT", "WAITS", "NEXT"});
  for (const Value& contact : page.get("items").items()) {
    const Value& next = contact.get("next");
    table.row({text_at(contact, "contact_id"), text_at(contact, "timezone"),
               text_at(contact, "phone"), text_at(contact, "email"),
               contact.get("opted_out") == Value(true) ? "yes" : "",
               std::to_string(number_at(contact, "pending_waits")),
               next.is_object() ? short_time(text_at(next, "due_at")) : ""});
  }
  table.print(terminal, 3);
  tell_of_more(page, terminal);
}

Exit contacts(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool lists = arguments.positional().empty();
  auto answer = [&]() -> Outcome<Value> {
    FERMATA_TRY(client, Client::from(arguments, around));
    return lists ? list_contacts(arguments, client) : act_on_contacts(arguments, client);
  }();
  if (!answer) return terminal.fail(answer.error());
  if (lists && !terminal.json) {
    print_contacts_list(*answer, terminal);
  } else {
    terminal.value(*answer);
  }
  return Exit::ok;
}

}  // namespace

CliCommand contacts_command() {
  return {"contacts",
          "[show|put|opt-out|opt-in|delete ID [JSON]]",
          "List contacts, or look at, change, opt out or delete one.",
          "Opting out and deleting end the contact's executions before the command answers.",
          {{"phone", "NUMBER", "those with this number, however it is written"},
           {"email", "ADDRESS", "those with this address"},
           {"q", "TEXT", "text found in id, phone or email"},
           {"opted-out", "", "only those that have opted out"},
           {"workflow", "ID", "opt out of this workflow alone"},
           {"reason", "TEXT", "why, for the audit"},
           {"limit", "N", "at most so many, 50 without it"},
           {"cursor", "TEXT", "go on where the last list ended"},
           server_option()},
          "fermata contacts opt-out c-17 --reason STOP",
          contacts};
}

}  // namespace fermata::cli
