#include <map>

#include "base/json.h"
#include "base/url_secret.h"
#include "cli/configured.h"
#include "cli/postgres_wanted.h"
#include "core/graph/check.h"
#include "core/run/checkpoint.h"
#include "core/run/script_definition.h"

namespace fermata::cli {
namespace {

constexpr size_t progress_every_runs = 1'000;

/// Holds everything in a store against what it promises: a run's summary is the fold of its
/// history, its definition exists and has the hash it is known by. Structure, checksums and audit
/// chains are the store's own business, which it reports as damage.
class Verification {
 public:
  explicit Verification(const Terminal& terminal) : terminal_(terminal) {}

  StoredThings things() {
    return {[this](const StoredRun& run) { check_run(run); },
            [this](const StoredRun& run, const Checkpoint& checkpoint) {
              check_checkpoint(run, checkpoint);
            },
            [this](const AuditEntry&) { ++audit_lines_; },
            [this](const DefinitionHash& hash, const std::string& text) {
              check_definition(hash, text);
            },
            [this](const Error& error) { problem("store", error.message); }};
  }

  Exit report(const std::string& directory) const {
    bool sound = problems_.size() == 0;
    Value counts = Value::object({{"data", directory},
                                  {"runs", runs_},
                                  {"events", events_},
                                  {"checkpoints", checkpoints_},
                                  {"definitions", definitions_.size()},
                                  {"audit_lines", audit_lines_},
                                  {"problems", problems_}});
    if (terminal_.json) {
      terminal_.value(counts);
    } else {
      if (terminal_.live) terminal_.err("\r\x1b[K");
      for (const Value& each : problems_.items())
        terminal_.line(terminal_.paint(Colour::red, "problem") + " " +
                       std::string(each.get("subject").as_string()) + ": " +
                       std::string(each.get("message").as_string()));
      terminal_.line(directory + ": " + std::to_string(runs_) + " runs, " +
                     std::to_string(events_) + " events, " + std::to_string(definitions_.size()) +
                     " definitions, " + std::to_string(audit_lines_) + " audit lines, " +
                     (sound ? terminal_.paint(Colour::green, "sound")
                            : std::to_string(problems_.size()) + " problems"));
    }
    return sound ? Exit::ok : Exit::failed;
  }

 private:
  void problem(const std::string& subject, const std::string& message) {
    problems_.push(Value::object({{"subject", subject}, {"message", message}}));
  }

  void check_definition(const DefinitionHash& hash, const std::string& text) {
    graph::DefinitionRef& kept = definitions_[hash];
    Outcome<Value> canonical = parse_json(text);
    if (!canonical) return problem("definition " + hash.text(), canonical.error().message);
    Outcome<graph::DefinitionRef> compiled = ready_definition(*canonical);
    if (!compiled) return problem("definition " + hash.text(), compiled.error().message);
    if ((*compiled)->hash != hash)
      return problem("definition " + hash.text(), "its content has another hash");
    kept = *compiled;
  }

  void check_run(const StoredRun& stored) {
    ++runs_;
    events_ += stored.summary.last_sequence;
    if (terminal_.live && !terminal_.json && runs_ % progress_every_runs == 0)
      terminal_.err("\r" + std::to_string(runs_) + " runs");
    std::string subject = "run " + stored.summary.id.text();
    bool missing = false;
    auto lookup = [&](const DefinitionHash& hash) -> graph::DefinitionRef {
      auto found = definitions_.find(hash);
      missing = missing || found == definitions_.end() || !found->second;
      return missing ? nullptr : found->second;
    };
    if (!lookup(stored.summary.definition)) return problem(subject, "its definition is missing");
    Outcome<Run> run = fold(stored.summary.id, stored.history, lookup);
    if (missing) return problem(subject, "a definition it once had is missing");
    if (!run) return problem(subject, run.error().message);
    if (summarize(*run) != stored.summary)
      problem(subject, "its summary is not the fold of its history");
  }

  /// A checkpoint is the fold of the history up to it, to the byte.
  void check_checkpoint(const StoredRun& stored, const Checkpoint& checkpoint) {
    ++checkpoints_;
    auto lookup = [&](const DefinitionHash& hash) -> graph::DefinitionRef {
      auto found = definitions_.find(hash);
      return found == definitions_.end() ? nullptr : found->second;
    };
    std::string subject = "run " + stored.summary.id.text() + ", its checkpoint at sequence " +
                          std::to_string(checkpoint.sequence);
    auto restored = restore_checkpoint(stored.summary.id, checkpoint.bytes, lookup);
    if (!restored) return problem(subject, restored.error().message);
    auto folded = fold_until(stored.summary.id, stored.history, lookup, checkpoint.sequence);
    // What is wrong with the history itself was told with the run.
    if (!folded) return;
    if (encode_checkpoint(*restored) != encode_checkpoint(*folded))
      problem(subject, "it is not the fold of the history");
  }

  const Terminal& terminal_;
  std::map<DefinitionHash, graph::DefinitionRef> definitions_;
  uint64_t runs_ = 0;
  uint64_t events_ = 0;
  uint64_t checkpoints_ = 0;
  uint64_t audit_lines_ = 0;
  Value problems_ = Value::array();
};

Exit verify(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  std::vector<Option> flags = shared_store_options();
  flags.push_back(data_option());
  auto configuration = configured(flags, arguments, around);
  if (!configuration) return terminal.fail(configuration.error());
  const Settings& settings = configuration->settings();
  bool shared = is_shared_store(settings) && !arguments.has("data");
  Verification verification(terminal);
  auto visited = [&]() -> Outcome<void> {
    if (!shared) return around.world.visit(settings.data, verification.things());
    FERMATA_TRY(wanted, postgres_wanted(settings));
    return around.world.visit_postgres(std::move(wanted), verification.things());
  }();
  if (!visited) return terminal.fail(visited.error());
  return verification.report(shared ? without_password(settings.store) : settings.data);
}

}  // namespace

CliCommand verify_command() {
  return {
      "verify",
      "",
      "Check everything in a data directory, also beside a running server.",
      "Checks the file's structure, every checksum, every account's audit chain, that each "
      "run's history is without gaps and folds to the state that is stored, that checkpoints are "
      "the fold of the history before them, and that no record points at one that is missing. "
      "Exits with 1 when something is wrong. With --store it is that of a PostgreSQL.",
      with_data_option(),
      "fermata verify --data fermata-data",
      verify};
}

}  // namespace fermata::cli
