#include "cli/configured.h"
#include "cli/postgres_wanted.h"
#include "cli/remote.h"
#include "server/keys.h"
#include "server/principal.h"

namespace fermata::cli {
namespace {

Value shown(const KeyRecord& key) {
  auto time = [](const std::optional<Instant>& at) {
    return at ? Value(to_rfc3339(*at)) : Value();
  };
  return Value::object({{"id", key.id},
                        {"name", key.name},
                        {"role", name_of(key.role)},
                        {"account_id", key.account.text()},
                        {"created_at", to_rfc3339(key.created_at)},
                        {"expires_at", time(key.expires_at)},
                        {"last_used_at", time(key.last_used_at)},
                        {"revoked_at", time(key.revoked_at)}});
}

/// The same three actions on a data directory that no server uses: how the first key is made.
class OfflineKeys {
 public:
  OfflineKeys(Catalog& catalog, Instant now, AccountId account)
      : catalog_(catalog), now_(now), account_(std::move(account)) {}

  Outcome<Value> create(const std::string& name, const std::string& role,
                        std::optional<Instant> expires_at) {
    std::optional<Role> known = role_of(role);
    if (!known)
      return fail(ErrorCode::usage, "--role is viewer, operator, editor, admin, root or worker.");
    server::NewKey made = server::make_key();
    KeyRecord key;
    key.id = made.id;
    key.account = account_;
    key.name = name;
    key.role = *known;
    key.secret_hash = made.secret_hash;
    key.created_at = now_;
    key.expires_at = expires_at;
    FERMATA_TRY_VOID(catalog_.put_key(key, audit("key.create", key.id)));
    Value answer = shown(key);
    answer.set("key", made.secret);
    return answer;
  }

  Outcome<Value> list() {
    FERMATA_TRY(keys, catalog_.keys(account_));
    Value items = Value::array();
    for (const KeyRecord& key : keys) items.push(shown(key));
    return Value::object({{"items", items}});
  }

  Outcome<Value> revoke(const std::string& id) {
    FERMATA_TRY(key, catalog_.key(id));
    if (!key || key->account != account_)
      return fail(ErrorCode::key_not_found, "There is no key " + id + ".");
    if (!key->revoked_at) FERMATA_TRY_VOID(catalog_.revoke_key(id, now_, audit("key.revoke", id)));
    return Value::object({{"id", id}});
  }

 private:
  AuditLine audit(std::string action, std::string subject) const {
    return {account_,           now_,           "local", std::move(action),
            std::move(subject), "command line", Value()};
  }

  Catalog& catalog_;
  const Instant now_;
  const AccountId account_;
};

struct KeyAsked {
  std::string action;
  std::string id;  ///< of revoke
  std::string name;
  std::string role;
  std::optional<Instant> expires_at;
};

Outcome<KeyAsked> read_key_asked(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(1, 2, "create, list or revoke ID"));
  KeyAsked asked;
  asked.action = arguments.positional()[0];
  bool revokes = asked.action == "revoke";
  if (!revokes && asked.action != "create" && asked.action != "list")
    return fail(ErrorCode::usage, "'" + asked.action + "' is not create, list or revoke.");
  FERMATA_TRY_VOID(arguments.expect(revokes ? 2 : 1, revokes ? 2 : 1, "the ID of the key"));
  if (revokes) asked.id = arguments.positional()[1];
  asked.name = arguments.get("name").value_or("");
  asked.role = arguments.get("role").value_or("admin");
  if (auto expires = arguments.get("expires")) {
    asked.expires_at = parse_rfc3339(*expires);
    if (!asked.expires_at)
      return fail(ErrorCode::usage, "--expires is a time such as 2027-01-01T00:00:00Z.");
  }
  return asked;
}

/// The store itself, without a server: a data directory that nobody uses, or a PostgreSQL, where
/// only the one who leads may write.
Outcome<std::unique_ptr<OpenStore>> open_offline(const KeyAsked& asked, const Arguments& arguments,
                                                 Surroundings& around) {
  if (auto data = arguments.get("data")) return around.world.open_data(*data, {});
  const Option flags[] = {
      {"store", "URL", ""}, {"store-password-file", "FILE", ""}, {"postgres-schema", "NAME", ""}};
  FERMATA_TRY(configuration, configured(flags, arguments, around));
  const Settings& settings = configuration.settings();
  if (!is_shared_store(settings))
    return fail(ErrorCode::usage,
                "--store is the address of a PostgreSQL; a data directory is "
                "named by --data.");
  FERMATA_TRY(wanted, postgres_wanted(settings));
  FERMATA_TRY(store, around.world.open_postgres(std::move(wanted)));
  if (asked.action == "list") return std::move(store);
  FERMATA_TRY(leads, store->take_lead());
  if (!leads)
    return fail(ErrorCode::data_locked, "a server uses this store (" + store->leader().name +
                                            "): ask it, with --server and a key of role root or "
                                            "admin, or stop it first");
  return std::move(store);
}

Outcome<Value> keys_offline(const KeyAsked& asked, const Arguments& arguments,
                            Surroundings& around) {
  FERMATA_TRY(store, open_offline(asked, arguments, around));
  AccountId account(arguments.get("account").value_or(server::default_account.text()));
  OfflineKeys keys(store->catalog(), around.world.system_clock()->now(), account);
  if (asked.action == "create") return keys.create(asked.name, asked.role, asked.expires_at);
  return asked.action == "list" ? keys.list() : keys.revoke(asked.id);
}

Outcome<Value> keys_online(const KeyAsked& asked, const Arguments& arguments,
                           Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  if (arguments.has("account"))
    return fail(ErrorCode::usage,
                "--account belongs to --data and --store; a server knows the key's account.");
  if (asked.action == "list") return client.get("/keys");
  if (asked.action == "revoke") {
    FERMATA_TRY_VOID(client.remove("/keys/" + url_escaped(asked.id)));
    return Value::object({{"id", asked.id}});
  }
  Value body = Value::object({{"name", asked.name}, {"role", asked.role}});
  if (asked.expires_at) body.set("expires_at", to_rfc3339(*asked.expires_at));
  return client.post("/keys", body);
}

void print_key(const KeyAsked& asked, const Value& answer, const Terminal& terminal) {
  if (asked.action == "create") {
    terminal.err("The key is shown this once; keep it safe. Use it as FERMATA_KEY.\n");
    return terminal.line(text_at(answer, "key"));
  }
  if (asked.action == "revoke") return terminal.line(asked.id + " is revoked");
  Table table({"ID", "NAME", "ROLE", "ACCOUNT", "CREATED", "EXPIRES", "LAST USE", "REVOKED"});
  for (const Value& key : answer.get("items").items())
    table.row({text_at(key, "id"), text_at(key, "name"), text_at(key, "role"),
               text_at(key, "account_id"), short_time(text_at(key, "created_at")),
               short_time(text_at(key, "expires_at")), short_time(text_at(key, "last_used_at")),
               short_time(text_at(key, "revoked_at"))});
  table.print(terminal);
}

Exit keys(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto asked = read_key_asked(arguments);
  if (!asked) return terminal.fail(asked.error());
  if (arguments.has("data") && arguments.has("store"))
    return terminal.fail({ErrorCode::usage, "Give --data or --store, not both.", {}});
  bool offline = arguments.has("data") || arguments.has("store");
  auto answer =
      offline ? keys_offline(*asked, arguments, around) : keys_online(*asked, arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
  } else {
    print_key(*asked, *answer, terminal);
  }
  return Exit::ok;
}

}  // namespace

CliCommand keys_command() {
  return {"keys",
          "create|list|revoke [ID]",
          "Create, list and revoke API keys.",
          "With --data it works on a data directory that no server uses, with --store on a "
          "PostgreSQL that none leads, which is how the first key is made; else on a server. The "
          "secret is printed once, when the key is created.",
          {{"role", "ROLE", "viewer, operator, editor, admin (without it), root or worker"},
           {"name", "TEXT", "what the key is for"},
           {"expires", "TIME", "when it ends, RFC 3339"},
           {"account", "ID", "the account it belongs to, without a server; else `default`"},
           {"data", "DIR", "work on this data directory instead of a server"},
           {"store", "URL", "work on this PostgreSQL instead of a server"},
           {"store-password-file", "FILE", "its password"},
           {"postgres-schema", "NAME", "its schema; `fermata` without it"},
           config_option(),
           server_option()},
          "fermata keys create --role operator --name ci --data fermata-data",
          keys};
}

}  // namespace fermata::cli
