#pragma once
#include <map>
#include <set>

#include "base/random.h"
#include "core/trial/plan.h"

namespace fermata::trial {

/// How a trial came to its end: its run did, the horizon was reached, nothing will ever come any
/// more, or it took more commands than are allowed.
enum class End : uint8_t { ended, open, stuck, cut };
std::string_view name_of(End end);

constexpr int64_t day_ms = 86'400'000;

/// What moved the run, for the calendar of what fired.
enum class Cause : uint8_t { timer, call, job, signal, approval, child };
constexpr size_t causes = 6;
std::string_view name_of(Cause cause);

/// One life of one run under one seed. The plan must outlive it.
class Trial {
 public:
  Trial(const Plan& plan, uint64_t seed);

  /// Lives it through. Fails when the run is refused at its start.
  Outcome<void> live();

  const Run& run() const { return lives_.at(main_).run; }
  const std::vector<HistoryChunk>& history() const { return lives_.at(main_).history; }
  End end() const { return end_; }
  /// How often each node of the definition was come to.
  const std::vector<uint32_t>& reached() const { return reached_; }
  /// Moves by day of the virtual calendar (days since 1970, UTC).
  using Fired = std::map<int64_t, std::array<uint32_t, causes>>;
  const Fired& fired() const { return fired_; }

 private:
  struct Life {
    Run run;
    std::vector<HistoryChunk> history;
    std::optional<Instant> due;      ///< as the run wants it
    std::optional<Instant> wake_at;  ///< as it is looked at: maybe later
  };
  struct Move {
    RunId run;
    CommandBody body;
    std::optional<Cause> cause{};
    std::optional<SendSignal> sender{};  ///< who is to hear what became of it
  };
  using Agenda = std::map<std::pair<Instant, uint64_t>, Move>;

  Agenda::iterator put(Instant at, Move move);
  void put_answer(Instant at, Move move);
  bool step();
  Outcome<void> tell(const Move& move);
  void note(const Life& life, const Decision& decision, std::optional<Cause> cause);
  void arm(Life& life);
  Instant after(const Manner& manner);

  void place(const Life& life, const PlaceCall& call);
  void hear(const WaitRecord& record);
  void ask(const ApprovalRecord& record);
  void post(const RunId& from, Post post);
  void order(const OrderJob& order);
  void stop(const StopJob& stop, const RunId& run);
  void start(OrderRun order);
  void send(SendSignal send);
  void answer_sender(const SendSignal& send, const Error* refusal);

  const Plan& plan_;
  const Instant until_;
  Random dice_;
  Instant now_;
  RunId main_;
  std::map<RunId, Life> lives_;
  Agenda agenda_;
  uint64_t order_ = 0;
  uint64_t commands_ = 0;
  std::map<JobId, Agenda::key_type> jobs_;
  std::set<std::string> heard_;  ///< waits and questions that were answered, or will not be
  std::vector<uint32_t> reached_;
  Fired fired_;
  End end_ = End::cut;
};

/// The rule for a name, else the one for all, else none.
const Manner* manner_of(const std::vector<Rule>& rules,
                        std::initializer_list<std::string_view> names);

}  // namespace fermata::trial
