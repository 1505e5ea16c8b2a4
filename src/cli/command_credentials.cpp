#include "base/json.h"
#include "cli/configured.h"
#include "cli/offline_credentials.h"
#include "cli/remote.h"
#include "cli/secret_input.h"

namespace fermata::cli {
namespace {

constexpr std::string_view actions = "list, set ID, revoke ID, remove ID or reseal";

struct Asked {
  std::string action;
  std::string id;
};

Outcome<Asked> read_asked(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(1, 2, actions));
  Asked asked{arguments.positional()[0], ""};
  bool names_one = asked.action == "set" || asked.action == "revoke" || asked.action == "remove";
  if (!names_one && asked.action != "list" && asked.action != "reseal")
    return fail(ErrorCode::usage, "'" + asked.action + "' is not " + std::string(actions) + ".");
  FERMATA_TRY_VOID(
      arguments.expect(names_one ? 2 : 1, names_one ? 2 : 1, "the ID of the credential"));
  if (names_one) asked.id = arguments.positional()[1];
  return asked;
}

/// The body of a PUT. `stored_type` finds the type of one that exists.
Outcome<Value> wanted_credential(const Arguments& arguments, const Terminal& terminal,
                                 const std::function<Outcome<std::string>()>& stored_type) {
  std::string name = arguments.get("type").value_or("");
  if (name.empty()) {
    FERMATA_TRY(stored, stored_type());
    name = std::move(stored);
  }
  const front::CredentialType* type = front::credential_type(name);
  if (type == nullptr)
    return fail(ErrorCode::usage, "--type is one of " + front::credential_type_names() + ".");
  FERMATA_TRY(values, credential_values(*type, arguments, terminal));
  Value body = Value::object({{"type", name}, {"values", values}});
  if (auto title = arguments.get("name")) body.set("name", *title);
  return body;
}

Outcome<Value> all_of(const Client& client) {
  Value items = Value::array();
  std::string cursor;
  do {
    std::string more = cursor.empty() ? "" : "&cursor=" + url_escaped(cursor);
    FERMATA_TRY(page, client.get("/credentials?limit=1000" + more));
    for (const Value& item : page.get("items").items()) items.push(item);
    cursor = text_at(page, "next_cursor");
  } while (!cursor.empty());
  return Value::object({{"items", items}});
}

Outcome<Value> online(const Asked& asked, const Arguments& arguments, Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  if (arguments.has("account"))
    return fail(ErrorCode::usage, "--account belongs to --data; a server knows the key's account.");
  std::string path = "/credentials/" + url_escaped(asked.id);
  if (asked.action == "list") return all_of(client);
  if (asked.action == "reseal") return client.post("/credentials/reseal", Value());
  if (asked.action == "remove") {
    FERMATA_TRY_VOID(client.remove(path));
    return Value::object({{"id", asked.id}});
  }
  if (asked.action == "revoke") {
    Value body = Value::object();
    if (auto reason = arguments.get("reason")) body.set("reason", *reason);
    return client.post(path + "/revoke", body);
  }
  FERMATA_TRY(body, wanted_credential(arguments, around.terminal, [&]() -> Outcome<std::string> {
                auto known = client.get(path);
                if (known) return text_at(*known, "type");
                if (known.error().code != ErrorCode::credential_not_found)
                  return Failure{std::move(known).error()};
                return fail(ErrorCode::usage, "A new credential needs --type.");
              }));
  return client.put(path, to_json(body));
}

Outcome<Value> offline(const Asked& asked, const Arguments& arguments, Surroundings& around) {
  Option data = data_option();
  FERMATA_TRY(configuration, configured({&data, 1}, arguments, around));
  FERMATA_TRY(opened, OfflineCredentials::open(configuration.settings(), arguments, around));
  if (asked.action == "list") return opened.list();
  if (asked.action == "reseal") return opened.reseal();
  if (asked.action == "remove") return opened.remove(asked.id);
  if (asked.action == "revoke")
    return opened.revoke(asked.id, arguments.get("reason").value_or(""));
  FERMATA_TRY(body, wanted_credential(arguments, around.terminal,
                                      [&] { return opened.type_of(asked.id); }));
  return opened.set(asked.id, body);
}

Exit print(const Asked& asked, const Value& answer, const Terminal& terminal) {
  if (asked.action == "list") {
    Table table({"ID", "NAME", "TYPE", "CREATED", "CHANGED", "LAST USE", "REVOKED"});
    for (const Value& each : answer.get("items").items())
      table.row({text_at(each, "id"), text_at(each, "name"), text_at(each, "type"),
                 short_time(text_at(each, "created_at")), short_time(text_at(each, "updated_at")),
                 short_time(text_at(each, "last_used_at")),
                 short_time(text_at(each, "revoked_at"))});
    table.print(terminal);
  } else if (asked.action == "reseal") {
    terminal.line(to_json(answer.get("resealed")) + " resealed, " + to_json(answer.get("kept")) +
                  " under the first key already");
    for (const Value& id : answer.get("unreadable").items())
      terminal.line(terminal.paint(Colour::red, "unreadable") + " " + std::string(id.as_string()));
  } else if (asked.action == "set") {
    terminal.line(asked.id + " is set (" + text_at(answer, "type") + ")");
  } else {
    terminal.line(asked.id + (asked.action == "revoke" ? " is revoked" : " is removed"));
  }
  return Exit::ok;
}

Exit credentials(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto asked = read_asked(arguments);
  if (!asked) return terminal.fail(asked.error());
  auto answer = arguments.has("data") ? offline(*asked, arguments, around)
                                      : online(*asked, arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
  } else {
    print(*asked, *answer, terminal);
  }
  bool left = asked->action == "reseal" && answer->get("unreadable").size() > 0;
  return left ? Exit::failed : Exit::ok;
}

}  // namespace

CliCommand credentials_command() {
  return {"credentials",
          "list|set|revoke|remove|reseal [ID]",
          "Keep the secrets that nodes and webhooks use.",
          "`set` makes or replaces one. Its secret is read from standard input or a file, never "
          "from the command line: the one secret of its type as plain text, or all values as a "
          "JSON object. `revoke` destroys the values and keeps the name; `reseal` seals everything "
          "under the first of the server's keys. Values are never shown again. With --data it "
          "works on a data directory that no server uses.",
          {{"type", "TYPE",
            "token, basic_auth, header, api_key, oauth2, query, hmac_sha256, smtp or custom"},
           {"name", "TEXT", "another name for it, unique in the account"},
           {"set", "NAME=VALUE", "a value that is no secret, such as username=ann", true},
           {"values", "@FILE", "file with the secret instead of standard input"},
           {"reason", "TEXT", "why it is revoked, for the audit"},
           {"account", "ID", "the account it belongs to, with --data; `default` without it"},
           data_option(),
           config_option(),
           server_option()},
          "fermata credentials list",
          credentials};
}

}  // namespace fermata::cli
