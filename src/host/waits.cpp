#include <algorithm>

#include "host/partition.h"

/// What the engine sends to runs because of their waits: they fall due, find room within the limits
/// of their account, or follow other zone data. And how long it waits for a store that is away.
namespace fermata {

namespace {

constexpr int64_t store_delay_ms = 1'000;
constexpr int64_t store_delay_ms_max = 300'000;
Duration delay_of(uint32_t failures) {
  constexpr uint32_t doublings_max = 9;
  return Duration{
      std::min(store_delay_ms << std::min(failures, doublings_max), store_delay_ms_max)};
}

/// Runs that are told of new zone data in one turn: everything else goes on meanwhile.
constexpr size_t follow_runs_max = 64;

}  // namespace

void Host::Partition::take_waits(std::vector<Item>& items, size_t most, Instant now) {
  size_t room = most - std::min(most, items.size());
  if (flying_.empty() && next_.empty()) limits_.recount_if_doubted();
  for (Command& command : limits_.entering(accounts_.get(), now, room))
    items.push_back({std::move(command), {}});
  if (zones_) follow_zones(items, room, now);
}

void Host::Partition::follow_zones(std::vector<Item>& items, size_t most, Instant now) {
  bool changed = follower_.changed(*zones_);
  uint64_t decided = flights_begun_ + (next_.empty() ? 0 : 1);
  for (RunId& run :
       follower_.next(*zones_, decided, flights_landed_, now, std::min(most, follow_runs_max)))
    items.push_back({{std::move(run), FollowZones{}}, {}});
  // Whoever runs the engine looks there.
  if (changed) tell_zones(AccountId("default"), now);
}

/// Accounts with waits that follow the new data are told of it, each once (W-87).
void Host::Partition::tell_zones(const AccountId& account, Instant now) {
  if (!follower_.tells(account)) return;
  Value details = Value::object({{"to", zones_->version()}});
  if (!follower_.before().empty()) details.set("from", follower_.before());
  note({account, now, "engine", "tzdata.changed", zones_->version(), "", std::move(details)});
}

void Host::Partition::take_due(std::vector<Item>& items, size_t most) {
  for (RunId& run : due_.take(most)) {
    ++counters_.timers_fired;
    items.push_back({{std::move(run), WakeRun{}}, {}});
  }
}

void Host::Partition::count_lateness(const Run& run, Instant now) {
  if (run.timers.empty() || run.paused()) return;
  Instant due = run.timers.begin()->due;
  if (due <= now) counters_.lateness_ms.add(static_cast<uint64_t>((now - due).ms));
}

/// A second at first, then twice as long each time, up to five minutes (W-66).
Duration Host::Partition::store_delay(Item& item) {
  store_failed_ = true;
  if (std::holds_alternative<WakeRun>(item.command.body)) ++counters_.resumes_delayed;
  return delay_of(item.delays++);
}

namespace {

/// Where the command keeps why it failed; null for one that resumes no wait by itself.
std::string* failure_in(CommandBody& body) {
  if (auto* wake = std::get_if<WakeRun>(&body)) return &wake->failed;
  auto* offer = std::get_if<OfferSignal>(&body);
  return offer ? &offer->failed : nullptr;
}

}  // namespace

/// The store is there and does not take what was decided. If that resumed a wait, the run is told
/// why it failed and counts the tries (W-66); everything else is tried again by whoever sent it.
void Host::Partition::refused(Touched& touched, Instant now) {
  Error error = trouble(CommitOutcome::refused);
  bool told = false;
  for (DecidedItem& decided : touched.items) {
    Item& item = decided.item;
    if (item.posted) continue;
    std::string* failed = failure_in(item.command.body);
    if (failed && failed->empty() && !told) {
      told = true;
      ++counters_.resumes_delayed;
      *failed = error.message;
      // Whoever offers a signal offers it again.
      if (item.reply)
        item.reply = [reply = std::move(item.reply), error](const Outcome<RunSummary>&) {
          reply(Failure{error});
        };
      put_first(std::move(item));
      continue;
    }
    if (failed) failed->clear();
    if (item.reply) {
      item.reply(Failure{error});
    } else {
      Duration delay = delay_of(item.refusals++);
      defer(std::move(item), now + delay);
    }
  }
}

/// What waited for the store is late enough: it goes on at once.
void Host::Partition::store_is_back(Instant now) {
  store_failed_ = false;
  std::multimap<Instant, Item> later;
  for (auto& [until, item] : deferred_)
    later.emplace(item.delays > 0 ? std::min(until, now) : until, std::move(item));
  deferred_ = std::move(later);
}

}  // namespace fermata
