#pragma once
#include "core/run/migration.h"
#include "test/scenario/scenario_text.h"
#include "test/scenario/world.h"

namespace fermata::scenario {

/// What became of a run in a scenario, in terms that do not depend on how it was played.
struct RunEnd {
  std::string name;
  RunStatus status = RunStatus::running;
  Value output;                      ///< without timestamps
  Value nodes;                       ///< counts per node and status
  std::vector<std::string> history;  ///< one line per event, without timestamps
  std::vector<HistoryChunk> chunks;
  bool operator==(const RunEnd&) const = default;
};

struct Played {
  std::vector<std::string> failures;
  std::vector<RunEnd> runs;
  bool struck = false;  ///< the planned fault found its place
};

/// Plays one scenario from its first line to its last.
class Player {
 public:
  Player(const Section& section, std::string file, Manner manner, FaultPlan plan);
  Played play();

 private:
  using Statement = void (Player::*)(Words&, const Line&);
  struct Graph {
    graph::CheckedDefinition checked;
  };

  // player.cpp: what is prepared
  void perform(const Line& line);
  void on_graph(Words& words, const Line& line);
  void on_definition(Words& words, const Line& line);
  void on_script(Words& words, const Line& line);
  void check_graph(const std::string& name, const Value& document, std::string_view text);
  void on_start(Words& words, const Line& line);
  Command start_command(Words& words);
  void on_advance(Words& words, const Line& line);
  void on_child(Words& words, const Line& line);
  void require_no_refusal(int line);

  // commands.cpp: what can be done
  void on_answer(Words& words, const Line& line);
  void on_reply(Words& words, const Line& line);
  void on_control(Words& words, const Line& line);
  void on_batch(Words& words, const Line& line);
  void on_restart(Words& words, const Line& line);
  std::optional<MigrationTarget> retry_target(Words& words, const Run& before);
  void on_process(Words& words, const Line& line);
  // contacts.cpp
  void on_contact(Words& words, const Line& line);
  void on_settings(Words& words, const Line& line);
  void on_workflow(Words& words, const Line& line);
  void on_rules(Words& words, const Line& line);
  // schedules.cpp
  void on_schedule(Words& words, const Line& line);
  void expect_schedule(Words& words);
  void expect_occurrences(Words& words, const Line& line);
  // jobs.cpp: a worker is what it was given, as a process beside the engine knows it.
  struct Hand {
    std::string name;
    RegistrationId registration;
    uint32_t slots = 0;
    uint64_t seq = 0;
    std::shared_ptr<std::optional<Outcome<Workers::Claimed>>> claimed;  ///< the open claim's answer
    std::string last_claimed;
    std::map<std::string, std::map<uint32_t, uint64_t>> held;  ///< fences by job and attempt
    std::string lost = "none", cancels = "none";               ///< by the latest heartbeat
  };
  Hand& hand(Words& words);
  void take_claimed(Hand& worker);
  void tell(const job::Command& command);
  void on_worker(Words& words, const Line& line);
  void on_claim(Words& words, const Line& line);
  void on_report(Words& words, const Line& line);
  void on_heartbeat(Words& words, const Line& line);
  void on_dismiss(Words& words, const Line& line);
  void on_submit(Words& words, const Line& line);
  void on_job(Words& words, const Line& line);
  void on_policy(Words& words, const Line& line);
  void on_scanner(Words& words, const Line& line);
  void expect_claimed(Words& words);
  void expect_job(Words& words);
  void expect_answer(const std::string& what, Words& words);
  // events.cpp
  void on_event(Words& words, const Line& line);
  void expect_signal(Words& words);
  Command control_command(const std::string& verb, Words& words);
  void send(std::vector<Command> commands, bool quiet_refusals);

  struct Target {
    std::string node;
    std::optional<int64_t> item;
    bool all = false;
  };
  Target take_target(Words& words);
  std::vector<CallTicket> tickets_at(const RunId& run, const Target& target);
  CallAnswer take_answer(Words& words);
  void repeat_answers();
  Command answer_command(Words& words);
  // wait_commands.cpp: what users do to waits
  CommandBody wait_command(Words& words);
  OpenWait open_command(Words& words);
  WaitRecord wait_at(const RunId& run, Words& words);
  CommandBody for_twin(const CommandBody& body, const RunId& twin);
  void expect_wait(Words& words);
  void check_waits(const RunId& run, const Run& state);
  // approval_commands.cpp: what people answer
  Command approval_command(bool approve, Words& words);
  ApprovalRecord approval_at(const RunId& run, const std::string& step, Words& words);
  std::string twin_approval(const std::string& approval, const RunId& twin);
  void expect_approval(Words& words);
  void check_approvals(const RunId& run, const Run& state);
  uint64_t sequence_of(Words& words);
  static CallAnswer json_answer(int status, const Value& body);

  // expect.cpp: what can be demanded
  void on_expect(Words& words, const Line& line);
  void expect_status(Words& words);
  void expect_at(Words& words, const char* what, const Value& got);
  void expect_error(Words& words);
  void expect_node(Words& words);
  void expect_skipped(Words& words);
  void expect_events(Words& words, const Line& line);
  void expect_count(Words& words);
  void expect_event(Words& words);
  void expect_waiting(Words& words);
  void expect_calls(Words& words);
  void expect_call(Words& words);
  void expect_key(Words& words);
  void expect_refused(Words& words);
  void expect_findings(Words& words, const Line& line, const std::vector<Finding>& got);
  void expect_ended(Words& words);
  void expect_numbers(const std::string& what, Words& words);
  Value shown_nodes(const RunId& run);
  Value shown_run();
  std::vector<Value> shown_history(const RunId& run);
  void demand(int line, const std::string& what, const std::string& expected,
              const std::string& got);
  void demand_value(int line, const std::string& what, const Value& expected, const Value* got);

  // invariants.cpp: what always holds
  void check_run(const RunId& run);
  void check_items(const RunId& run, const StoredRun& stored);
  void check_progress(const RunId& run, const StoredRun& stored);
  RunEnd end_of(const std::string& name);
  std::string history_text(const RunId& run);
  void fail(int line, const std::string& message);

  RunId id() const { return id_of(current_); }
  RunId id_of(const std::string& name) const {
    auto child = children_.find(name);
    return child == children_.end() ? RunId(name) : child->second;
  }
  static RunId twin_of(const RunId& run) { return RunId(run.text() + "-twin"); }

  const Section& section_;
  const std::string file_;
  const Manner manner_;
  std::unique_ptr<World> world_;
  std::map<std::string, Graph> graphs_;
  std::string latest_graph_;
  std::map<std::string, RunId> children_;  ///< by the names the scenario gives them
  std::vector<std::string> runs_;
  std::set<std::string> twins_;
  std::set<std::string> told_;  ///< runs whose history was printed
  std::string current_ = "run";
  std::vector<CallAnswer> answered_;
  std::vector<std::string> refusals_;  ///< codes, of the latest command
  size_t replies_ = 0;
  bool refusals_expected_ = true;
  uint64_t signals_ = 0;
  std::map<std::string, Hand> hands_;  ///< workers by name
  uint64_t registrations_ = 0;
  std::string answer_;  ///< to the latest word about a job
  Played played_;
};

/// Deep equality, where "<any>" in `expected` matches everything.
bool fits(const Value& expected, const Value& got);
/// The value with every timestamp and length of time replaced.
Value timeless(const Value& value);

}  // namespace fermata::scenario
