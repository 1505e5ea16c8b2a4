#include <algorithm>

#include "sim/ports/sim_store.h"

/// The signals of the simulated store, and what is asked of waits for their sake.
namespace fermata::sim {

namespace {

Failure<Error> unreadable() {
  return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
}

}  // namespace

void SimStore::write(const SignalWrite& write) {
  const Signal& signal = write.record.signal;
  SignalKey key{signal.account, signal.id};
  auto [found, fresh] = signals_.try_emplace(key);
  if (fresh) signal_order_.push_back(key);
  signal_writes_.try_emplace(key, ++writes_);
  signal_ends_[key] = writes_;
  SignalReach effects = std::move(found->second.effects);
  found->second = write.record;
  found->second.effects = std::move(effects);
  if (hooks_.signal_written) hooks_.signal_written(write.record);
}

void SimStore::write(const SignalReached& reached) {
  auto found = signals_.find(reached.signal);
  if (found == signals_.end()) throw Violation{"a run tells of a signal that nobody has"};
  if (!reached_.insert({reached.signal, std::string(name_of(reached.kind)), reached.ref}).second)
    throw Violation{"signal " + reached.signal.id +
                    " does the same to a run twice: " + reached.ref};
  add_reached(found->second.effects, reached.kind, reached.entry);
}

Outcome<std::vector<std::optional<SignalRecord>>> SimStore::load_signals(
    std::span<const SignalKey> keys) {
  chaos_.port_call("store.load_signals");
  if (chaos_.strikes(Fault::load_unavailable)) return unreadable();
  std::vector<std::optional<SignalRecord>> out;
  for (const SignalKey& key : keys) {
    auto found = signals_.find(key);
    out.push_back(found == signals_.end() ? std::optional<SignalRecord>{}
                                          : std::optional(found->second));
  }
  return out;
}

Outcome<SignalStore::Windowed> SimStore::signals_in(const SignalWindow& window, uint64_t after,
                                                    size_t limit) {
  chaos_.port_call("store.signals_in");
  if (chaos_.strikes(Fault::load_unavailable)) return unreadable();
  Windowed page{{}, after, false};
  bool wide = window.contact_id.empty() && window.run.empty();
  for (size_t i = after; i < signal_order_.size(); ++i) {
    const Signal& signal = signals_.at(signal_order_[i]).signal;
    bool meant = wide || (!window.contact_id.empty() && signal.contact_id == window.contact_id) ||
                 (!window.run.empty() && signal.run == window.run) ||
                 (!window.phone.empty() && signal.phone == window.phone);
    if (!meant || signal.account != window.account || signal.type != window.type ||
        signal.received_at < window.from || signal.received_at > window.to)
      continue;
    if (page.signals.size() == limit) {
      page.more = true;
      break;
    }
    page.signals.push_back(std::make_shared<const Signal>(signal));
    page.place = i + 1;
  }
  return page;
}

Outcome<SignalStore::OpenSignals> SimStore::open_signals(uint64_t after, size_t limit) {
  chaos_.port_call("store.open_signals");
  if (chaos_.strikes(Fault::pending_unavailable)) return unreadable();
  OpenSignals page{{}, after, false};
  for (size_t i = after; i < signal_order_.size(); ++i) {
    const SignalRecord& record = signals_.at(signal_order_[i]);
    if (!record.open) continue;
    if (page.signals.size() == limit) {
      page.more = true;
      break;
    }
    page.signals.push_back(record);
    page.cursor = i + 1;
  }
  return page;
}

Outcome<std::vector<WaitRecord>> SimStore::listening_waits(size_t after, size_t limit) {
  chaos_.port_call("store.listening_waits");
  if (chaos_.strikes(Fault::pending_unavailable)) return unreadable();
  std::vector<WaitRecord> out;
  size_t passed = 0;
  for (const auto& [id, record] : waits_) {
    if (!record.wait.is_for_event() || !is_pending(record.wait.status)) continue;
    if (passed++ < after) continue;
    if (out.size() == limit) break;
    out.push_back(record);
  }
  return out;
}

Outcome<std::vector<WaitRecord>> SimStore::ended_listeners(const Signal& signal, Instant since,
                                                           size_t limit) {
  chaos_.port_call("store.ended_listeners");
  if (chaos_.strikes(Fault::load_unavailable)) return unreadable();
  std::vector<WaitRecord> out;
  for (const auto& [id, record] : waits_) {
    bool meant =
        signal.run.empty() ? record.contact_id == signal.contact_id : record.run == signal.run;
    bool ended = record.wait.ended_at && *record.wait.ended_at >= since;
    if (meant && ended && record.account == signal.account && record.wait.is_for_event())
      out.push_back(record);
  }
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace fermata::sim
