#include "base/url_secret.h"
#include "cli/configured.h"
#include "cli/postgres_wanted.h"

namespace fermata::cli {
namespace {

Exit restore(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the FILE made by `fermata backup`"); !expected)
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
    if (!shared) return around.world.restore(file, directory);
    FERMATA_TRY(wanted, postgres_wanted(settings));
    return around.world.restore_postgres(std::move(wanted), file);
  }();
  if (!made) return terminal.fail(made.error());
  if (terminal.json) {
    terminal.value(Value::object({{"data", directory}, {"file", file}}));
  } else {
    terminal.line(file + " is restored in " + directory);
    terminal.err(
        "What was done since the backup is not known there: effects may be repeated, with "
        "the same idempotency keys.\n");
  }
  return Exit::ok;
}

}  // namespace

CliCommand restore_command() {
  return {"restore",
          "FILE",
          "Make a data directory from a backup.",
          "The backup is checked whole before anything is written. The directory must be new or "
          "empty. With --store it fills a schema of PostgreSQL that holds no store, from a backup "
          "of one.",
          with_data_option(),
          "fermata restore nightly.fermata --data restored-data",
          restore};
}

}  // namespace fermata::cli
