#include <map>

#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// Nothing that has a due time happens before it, and what is due first happens first. Due times
/// are kept here from the events themselves: a pause moves those of barriers and of the run.
class TimingAuditor final : public Auditor {
 public:
  void event(const Run& before, const Event& event) override {
    std::visit([&](const auto& body) { see(before, event, body); }, event.body);
  }

 private:
  struct Known {
    std::map<TokenId, Instant> waits;  ///< waits, attempts to come, and a start that is set
    std::map<MergeKey, Instant> merges;
    std::map<ScopeId, Instant> scopes;
    std::optional<Instant> run;
    Instant paused_at;
  };

  template <class Body>
  void see(const Run& before, const Event& event, const Body& body) {
    // Whatever a parked token does next, it does not do before its time.
    if constexpr (requires { body.activation; }) wakes(before, event, body.activation.token);
  }

  void see(const Run& before, const Event& event, const Box<RunStarted>& start) {
    const RunStarted& body = *start;
    Known& known = known_[before.id];
    known.run = body.timeout_at;
    // The entry's token is the first; a run that takes over a state keeps that state's times.
    if (body.start_at && *body.start_at > event.at && body.seed.empty())
      known.waits[1] = *body.start_at;
    if (!body.seed.empty()) taken_over_.insert(before.id);
  }
  void see(const Run& before, const Event& event, const RunPaused&) {
    known_[before.id].paused_at = event.at;
  }
  void see(const Run& before, const Event& event, const RunUnpaused& body) {
    Known& known = known_[before.id];
    Duration pause = event.at - known.paused_at;
    if (body.paused_ms != pause.ms) violate(before, "the length of a pause is told wrong");
    for (auto& [key, due] : known.merges) due = due + pause;
    for (auto& [scope, due] : known.scopes) due = due + pause;
    if (known.run) known.run = *known.run + pause;
  }
  void see(const Run& before, const Event& event, const TimerHeld& body) {
    const Known& known = known_[before.id];
    auto wait = known.waits.find(body.activation.token);
    if (!before.paused()) violate(before, "a timer is held without a pause");
    if (body.due > event.at) violate(before, "a timer is held before it is due");
    if (wait != known.waits.end() && wait->second != body.due)
      violate(before, "a held timer is told with another due time");
  }
  void see(const Run& before, const Event&, const WaitOpened& body) {
    if (body.resume_at) known_[before.id].waits[body.activation.token] = *body.resume_at;
  }
  void see(const Run& before, const Event&, const WaitChanged& body) {
    for (const auto& [key, wait] : before.waits)
      if (wait.id == body.wait) known_[before.id].waits[key.number] = *body.due;
  }
  void see(const Run& before, const Event& event, const NodeRetryScheduled& body) {
    wakes(before, event, body.activation.token);
    known_[before.id].waits[body.activation.token] = body.retry_at;
  }
  void see(const Run& before, const Event& event, const WaitResumed& body) {
    const Token& token = before.tokens.at(body.activation.token);
    if (before.paused()) violate(before, "a wait resumes in a pause");
    if (body.resumed_by == "scheduler" && token.parked != Parked::timer)
      violate(before, "a wait resumes that is not open");
    if (body.resumed_by == "timeout" && token.parked != Parked::signal &&
        token.parked != Parked::event)
      violate(before, "a signal wait times out that is not open");
    Known& known = known_[before.id];
    if (body.resumed_by == "signal" || body.resumed_by == "manual" || body.resumed_by == "event") {
      known.waits.erase(body.activation.token);
      return;
    }
    if (!known.waits.contains(body.activation.token) && !taken_over_.contains(before.id))
      violate(before, "a wait without a due time resumes by itself");
    first_of_all(before, token.due);
    wakes(before, event, body.activation.token);
  }
  void see(const Run& before, const Event&, const MergeArrived& body) {
    MergeKey key{body.activation.lineage, body.activation.node, body.activation.visit};
    if (body.deadline) known_[before.id].merges[key] = *body.deadline;
  }
  void see(const Run& before, const Event& event, const MergeFailed& body) {
    if (body.error.get("code") != Value("merge_timeout")) return;
    auto& merges = known_[before.id].merges;
    MergeKey key{body.lineage, body.node, body.visit};
    first_of_all(before, before.merges.at(key).deadline);
    if (taken_over_.contains(before.id)) return;
    auto found = merges.find(key);
    if (found == merges.end()) violate(before, "a merge without a deadline times out");
    not_before(before, event, found->second, "a merge timeout");
  }
  void see(const Run& before, const Event&, const SplitOpened& body) {
    if (body.deadline) known_[before.id].scopes[body.scope] = *body.deadline;
  }
  void see(const Run& before, const Event& event, const SplitClosed& body) {
    if (!body.timed_out || taken_over_.contains(before.id)) return;
    auto& scopes = known_[before.id].scopes;
    auto found = scopes.find(body.scope);
    if (found == scopes.end()) violate(before, "an aggregator without a deadline times out");
    not_before(before, event, found->second, "an aggregator timeout");
  }
  void see(const Run& before, const Event& event, const RunTimedOut&) {
    const Known& known = known_[before.id];
    if (!known.run) violate(before, "a run without a timeout times out");
    not_before(before, event, *known.run, "the run's timeout");
  }

  void wakes(const Run& before, const Event& event, TokenId token) {
    auto& waits = known_[before.id].waits;
    auto found = waits.find(token);
    if (found == waits.end()) return;
    not_before(before, event, found->second, "a token");
    waits.erase(found);
  }
  /// Overdue or not, timers fire in the order of their due times (G-84, G-95).
  void first_of_all(const Run& before, const std::optional<Instant>& due) {
    if (due && before.timers.begin()->due < *due)
      violate(before, "something is due earlier and has not happened yet");
  }
  void not_before(const Run& run, const Event& event, Instant due, const char* what) {
    if (event.at < due)
      violate(run,
              std::string(what) + " comes " + std::to_string((due - event.at).ms) + " ms early");
  }

  std::map<RunId, Known> known_;
  std::set<RunId> taken_over_;
};

}  // namespace

std::unique_ptr<Auditor> timing_auditor() { return std::make_unique<TimingAuditor>(); }

}  // namespace fermata::sim
