#include "base/url_secret.h"
#include "cli/configured.h"
#include "cli/postgres_wanted.h"

namespace fermata::cli {
namespace {

Exit backup(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the FILE to write"); !expected)
    return terminal.fail(expected.error());
  std::vector<Option> flags = shared_store_options();
  flags.push_back(data_option());
  auto configuration = configured(flags, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const Settings& settings = configuration->settings();
  const std::string& file = arguments.positional()[0];
  bool shared = is_shared_store(settings) && !arguments.has("data");
  std::string directory = shared ? without_password(settings.store) : settings.data;
  auto made = [&]() -> Outcome<void> {
    if (!shared) return around.world.backup(directory, file);
    FERMATA_TRY(wanted, postgres_wanted(settings));
    return around.world.backup_postgres(std::move(wanted), file);
  }();
  if (!made) return terminal.fail(made.error());
  if (terminal.json) {
    terminal.value(Value::object({{"data", directory}, {"file", file}}));
  } else {
    terminal.line(directory + " is saved in " + file);
  }
  return Exit::ok;
}

}  // namespace

CliCommand backup_command() {
  return {"backup",
          "FILE",
          "Copy a data directory into one file, also while a server uses it.",
          "The copy is of one moment and complete on disk when the command ends; work goes on "
          "meanwhile. FILE must not exist. With --store it is that of a PostgreSQL.",
          with_data_option(),
          "fermata backup nightly.fermata --data fermata-data",
          backup};
}

}  // namespace fermata::cli
