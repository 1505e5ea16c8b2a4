#include "base/url_secret.h"
#include "cli/configured.h"
#include "cli/postgres_wanted.h"

namespace fermata::cli {
namespace {

Exit migrate(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  auto configuration = configured(shared_store_options(), arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const Settings& settings = configuration->settings();
  if (!is_shared_store(settings))
    return terminal.fail({ErrorCode::usage,
                          "--store names a PostgreSQL; a data directory is brought up to date by "
                          "the server that opens it.",
                          {}});
  bool plan = arguments.is_set("plan");
  auto made = [&]() -> Outcome<std::vector<std::string>> {
    FERMATA_TRY(wanted, postgres_wanted(settings));
    FERMATA_TRY(pending, around.world.pending_migrations(wanted));
    if (!plan && !pending.empty()) FERMATA_TRY_VOID(around.world.migrate(std::move(wanted)));
    return pending;
  }();
  if (!made) return terminal.fail(made.error());
  std::string where = without_password(settings.store) + ", schema " + settings.postgres_schema;
  if (terminal.json) {
    Value names = Value::array();
    for (const std::string& name : *made) names.push(name);
    terminal.value(Value::object({{"store", without_password(settings.store)},
                                  {"schema", settings.postgres_schema},
                                  {plan ? "pending" : "applied", names}}));
    return Exit::ok;
  }
  for (const std::string& name : *made) terminal.line((plan ? "pending " : "applied ") + name);
  terminal.line(where + (made->empty() ? ": nothing to do"
                         : plan        ? ": to be done by `fermata migrate` without --plan"
                                       : ": up to date"));
  return Exit::ok;
}

}  // namespace

CliCommand migrate_command() {
  std::vector<Option> options = shared_store_options();
  options.push_back({"plan", "", "show what would be done, and do nothing"});
  options.push_back(config_option());
  return {"migrate",
          "",
          "Bring the schema of a PostgreSQL up to date.",
          "Servers do so by themselves unless `migrate` is `manual`. Each migration is one "
          "transaction under a lock that others wait for; they only add, so servers of the version "
          "before go on meanwhile.",
          std::move(options),
          "fermata migrate --plan --store postgres://fermata@db1/fermata",
          migrate};
}

}  // namespace fermata::cli
