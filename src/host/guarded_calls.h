#pragma once
#include <map>
#include <utility>

#include "host/breaker.h"

namespace fermata {

/// The breaker before somebody outside who is asked, as a desk sees it: its state when it was last
/// looked at, and what people are shown of it.
class GuardedWay {
 public:
  /// `name`: as people know it. `prefix`: of its counters.
  GuardedWay(std::string name, Counters& counters, std::string prefix)
      : name_(std::move(name)), breaker_(counters, std::move(prefix)) {}

  Breaker& breaker() { return breaker_; }
  void look();
  breaker::State state() const { return state_; }
  /// Its state, once after it has become another.
  std::optional<breaker::State> take_change();
  /// When it opens again, unless a probe ends before.
  std::optional<Instant> silent_at() const { return silent_at_; }
  void count_probe() { ++probes_; }
  BreakerView view();
  /// True when it was not closed.
  bool reset();

 private:
  const std::string name_;
  Breaker breaker_;
  std::optional<Instant> silent_at_;
  uint64_t probes_ = 0;
  breaker::State state_ = breaker::State::closed;
  breaker::State told_ = breaker::State::closed;
};

/// Questions under way to somebody outside, each with what it was asked for.
template <class Asked>
class GuardedCalls {
 public:
  struct Call {
    Asked asked;
    breaker::Pass pass;
    Instant until;
  };
  explicit GuardedCalls(Duration timeout) : timeout_(timeout) {}

  /// Gives ticket, time and probe to a question that goes out now.
  template <class Question>
  void begin(Question& question, Asked asked, const breaker::Pass& pass, GuardedWay& way,
             Instant now) {
    question.ticket = ++last_ticket_;
    question.timeout_ms = timeout_.ms;
    if (pass.probe) {
      question.probe_of = pass.episode;
      way.count_probe();
    }
    calls_.emplace(question.ticket, Call{std::move(asked), pass, now + timeout_});
  }
  /// Nothing: it came too late, or once more.
  std::optional<Call> take(uint64_t ticket) {
    auto found = calls_.find(ticket);
    if (found == calls_.end()) return std::nullopt;
    Call call = std::move(found->second);
    calls_.erase(found);
    return call;
  }
  /// Tickets whose time is over, or by a clock that has gone back will not be for too long.
  std::vector<uint64_t> late(Instant now) const {
    std::vector<uint64_t> tickets;
    for (const auto& [ticket, call] : calls_)
      if (call.until <= now || call.until > now + timeout_) tickets.push_back(ticket);
    return tickets;
  }
  std::optional<Instant> next_due() const {
    std::optional<Instant> due;
    for (const auto& [ticket, call] : calls_)
      if (!due || call.until < *due) due = call.until;
    return due;
  }
  Instant begun_at(const Call& call) const { return call.until - timeout_; }
  size_t size() const { return calls_.size(); }
  bool empty() const { return calls_.empty(); }
  /// Forgets all of them; gives what they were asked for.
  std::vector<Asked> drop() {
    std::vector<Asked> dropped;
    for (auto& [ticket, call] : calls_) dropped.push_back(std::move(call.asked));
    calls_.clear();
    return dropped;
  }

 private:
  const Duration timeout_;
  std::map<uint64_t, Call> calls_;  ///< by ticket
  uint64_t last_ticket_ = 0;
};

/// The earliest of several instants, some of which there may not be.
std::optional<Instant> earliest(std::initializer_list<std::optional<Instant>> instants);

}  // namespace fermata
