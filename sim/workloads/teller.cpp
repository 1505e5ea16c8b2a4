#include "sim/workloads/teller.h"

#include <algorithm>

namespace fermata::sim {

void Teller::add(World& world, Signal signal, Duration most) {
  Instant at = world.clock().true_now() + Duration{world.chaos().between(0, most.ms)};
  tellings_.push_back({std::move(signal), at, false});
}

void Teller::watch(World& world) {
  for (Telling& telling : tellings_) submit(world, telling);
}

void Teller::submit(World& world, Telling& telling) {
  Chaos& chaos = world.chaos();
  bool again = telling.accepted && !chaos.healed() && chaos.dice().chance(0.01);
  if (!again && (telling.accepted || telling.at > world.clock().true_now())) return;
  telling.at = world.clock().true_now() + Duration{chaos.between(500, 8'000)};
  std::vector<IncomingSignal> batch;
  batch.push_back({telling.signal, "tester", Duration{chaos.between(0, 2'000)},
                   [&telling](const Outcome<SignalTold>& told) {
                     if (told) telling.accepted = true;
                   }});
  (void)world.signal_intake().submit_signals(std::move(batch));
}

std::optional<Instant> Teller::next() const {
  std::optional<Instant> next;
  for (const Telling& telling : tellings_)
    if (!telling.accepted && (!next || telling.at < *next)) next = telling.at;
  return next;
}

bool Teller::accepted() const {
  return std::all_of(tellings_.begin(), tellings_.end(),
                     [](const Telling& telling) { return telling.accepted; });
}

void Teller::expect_kept(const SimStore& store) const {
  for (const Telling& telling : tellings_)
    expect(store.signals().contains({telling.signal.account, telling.signal.id}),
           "signal " + telling.signal.id + " was accepted and is not there");
}

bool all_closed(const SimStore& store) {
  return std::none_of(store.signals().begin(), store.signals().end(),
                      [](const auto& entry) { return entry.second.open; });
}

void Liberator::watch(World& world, const std::function<bool(const Wait&)>& may) {
  for (const RunId& id : world.runs()) {
    const Run* run = world.state(id);
    if (run->paused()) continue;
    for (const auto& [key, wait] : run->waits) {
      bool held = !wait.hold.empty();
      if ((is_pending(wait.status) && !held) || !may(wait)) continue;
      if (!freeing_.insert(wait.id).second) continue;
      Request request;
      request.command = {id, ReleaseWaits{wait.id, ""}, "tester"};
      if (!held) request.command.body = ResumeWait{wait.id, {}, "", "", false};
      request.after = Duration{world.chaos().between(0, 90'000)};
      request.answered = [this, wait_id = wait.id](const Outcome<RunSummary>&) {
        freeing_.erase(wait_id);
      };
      world.send(std::move(request));
    }
  }
}

}  // namespace fermata::sim
