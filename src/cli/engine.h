#pragma once
#include <memory>

#include "cli/settings.h"
#include "cli/world.h"
#include "front/account_book.h"
#include "front/definitions.h"
#include "front/vault.h"
#include "host/host.h"
#include "ports/feed.h"
#include "server/engine_definitions.h"

namespace fermata::cli {

/// A host with everything it stands on. Members are destroyed in reverse: the host first, the store
/// last.
struct Engine {
  std::unique_ptr<OpenStore> store;
  std::unique_ptr<Telemetry> telemetry;  ///< absent where traces are not collected
  std::unique_ptr<Feed> tracing;         ///< with it
  std::unique_ptr<Clock> own_clock;      ///< empty when the clock is `movable`
  std::unique_ptr<MovableClock> movable;
  std::unique_ptr<Entropy> entropy;
  std::unique_ptr<SharedIndex> index;  ///< absent where the store's own is enough
  std::unique_ptr<Feed> indexed;       ///< with it
  std::unique_ptr<Timers> timers;      ///< absent where the index has them
  std::unique_ptr<front::Vault> vault;
  std::unique_ptr<Calls> calls;
  std::unique_ptr<Calls> callbacks;
  std::unique_ptr<PolicyKernel> kernel;         ///< absent where rules alone judge
  std::unique_ptr<OutputKernel> output_kernel;  ///< absent where nobody outside reads results
  std::unique_ptr<Counters> counters;           ///< with either of them, unless the index has them
  std::unique_ptr<Scans> scans;
  std::unique_ptr<ZoneSource> zones;
  std::unique_ptr<front::AccountBook> accounts;
  std::unique_ptr<front::Definitions> definitions;
  std::unique_ptr<server::EngineDefinitions> engine_definitions;
  std::unique_ptr<Host> host;

  Clock& clock() const { return movable ? *movable : *own_clock; }
};

struct EngineWanted {
  std::unique_ptr<OpenStore> store;
  std::optional<Instant> virtual_start;
  Duration clock_shift{};  ///< of a clock that is wrong on purpose
  std::string private_networks = "deny";
  std::string callback_networks = "deny";  ///< that callbacks may go to (W-75)
  std::function<void()> on_answer;         ///< called on another thread; must not block
  std::unique_ptr<Telemetry> telemetry{};
  std::function<void(const std::string&)> on_index_trouble = {};
  std::function<void(const std::string&)> on_index_warning = {};
  front::KeySource keys;           ///< that credentials are sealed under
  Announcer* announcer = nullptr;  ///< must outlive the engine; null: no broker is told
  std::function<void(const std::string&)> on_zone_problem = {};
};
/// From the setting or its file; empty where there is none.
Outcome<std::string> redis_password_of(const Settings& settings);
/// `feed` must outlive the engine.
Outcome<Engine> make_engine(World& world, EngineWanted wanted, const Settings& settings,
                            Feed& feed);

/// A graph file, or a script in a `.flow` file, read and checked.
struct GraphFile {
  std::string text;
  Value document;
  graph::CheckedDefinition checked;
};
/// Fails with `usage` when the file cannot be read; what is wrong in it stands in
/// `checked.errors`, text that is no JSON too.
Outcome<GraphFile> load_graph(const std::string& path, const Settings& settings,
                              const ZoneTable& zones);
/// The zone data that the settings name, for commands without an engine.
Outcome<std::shared_ptr<const ZoneTable>> zones_of(World& world, const Settings& settings);

/// Seals the values that a graph file gives its credentials into the engine's store (G-4).
Outcome<void> keep_inlined(Engine& engine, const GraphFile& file, const Settings& settings);

/// `file:line:column: message [code]`
std::string finding_line(const std::string& path, const Finding& finding);

}  // namespace fermata::cli
