#include <cstdio>

#include "bench/waits.h"

/// Signals against few and many listeners.
namespace fermata::bench {

namespace {

Signal mail_to(size_t contact, const std::string& id) {
  Signal signal;
  signal.account = AccountId("default");
  signal.id = id;
  signal.type = "email_open";
  signal.contact_id = "c-" + std::to_string(contact);
  return signal;
}

/// From a signal's submission to the answer that names what it reached, one at a time. Each goes to
/// another contact, `step` after the last, whose run it ends.
std::vector<double> match_times(Engine& engine, size_t signals, size_t first, size_t step,
                                const char* prefix) {
  std::vector<double> took;
  uint64_t ended = engine.feed.ended;
  size_t astray = 0;
  for (size_t i = 0; i < signals; ++i) {
    std::atomic<int> reached{-1};
    std::vector<IncomingSignal> one;
    one.push_back(
        {mail_to(first + i * step, prefix + std::to_string(i)), "bench", Duration{5'000}, {}});
    one.back().reply = [&](const Outcome<SignalTold>& told) {
      reached = told ? static_cast<int>(whole_reach(told->record).total) : 0;
      reached.notify_one();
    };
    auto begin = std::chrono::steady_clock::now();
    if (!engine.host().submit_signals(std::move(one))) continue;
    reached.wait(-1);
    took.push_back(seconds_since(begin) * 1e3);
    if (reached != 1) ++astray;
  }
  expect(took.size() == signals, "signals were not taken in");
  expect(astray == 0, std::to_string(astray) + " of " + std::to_string(signals) +
                          " signals did not reach the one wait they were meant for");
  expect(engine.feed.ended == ended + signals, "a signal did not end the run that waited for it");
  return took;
}

/// Signals to contacts nobody listens for, so many at a time.
double unmatched_rate(Engine& engine, size_t signals) {
  constexpr size_t batch = 500;
  std::atomic<size_t> answered{0}, astray{0};
  auto begin = std::chrono::steady_clock::now();
  for (size_t at = 0; at < signals; at += batch) {
    std::vector<IncomingSignal> many;
    for (size_t i = 0; i < batch; ++i) {
      many.push_back({mail_to(900'000'000 + at + i, "none-" + std::to_string(at + i)),
                      "bench",
                      Duration{5'000},
                      {}});
      many.back().reply = [&](const Outcome<SignalTold>& told) {
        if (!told || whole_reach(told->record).total > 0) ++astray;
        ++answered;
      };
    }
    if (!engine.host().submit_signals(std::move(many))) astray += batch, answered += batch;
    while (answered + 4 * batch < at + batch) std::this_thread::yield();
  }
  auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (answered < signals && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  double rate = static_cast<double>(answered) / seconds_since(begin);
  expect(answered == signals, "signals were not answered");
  expect(astray == 0, "signals to nobody were refused or reached somebody");
  return rate;
}

/// That so many listen.
void expect_listeners(Engine& engine, size_t listeners) {
  auto tally = engine.store->wait_tally(AccountId("default"), WorkflowId(), engine.clock.now());
  uint64_t active = 0;
  if (tally)
    for (const auto& [type, some] : tally->listeners) active += some;
  expect(active == listeners,
         "of " + std::to_string(listeners) + " waits " + std::to_string(active) + " listen");
}

}  // namespace

void measure_listeners() {
  size_t many = many_waits();
  section("(d) " + std::to_string(many) + " listeners");
  constexpr size_t signals = 400;
  std::filesystem::path directory = fresh_directory("listeners");
  Engine engine(directory);
  auto definition = define_event_wait(engine);
  size_t made = 0;
  auto next = [&] { return listening_run(engine, definition, made++); };
  closed_loop(engine, 64, few_waits, next);
  expect_listeners(engine, made);
  auto few = match_times(engine, signals, 0, 1, "few-");
  double few_p99 = percentile(few, 0.99);
  report("match with 1,000 listeners, p99", few_p99, "ms");
  uint64_t resident = resident_bytes();
  size_t before = made;
  closed_loop(engine, 512, many - std::min(many, made), next);
  expect_listeners(engine, made - signals);
  auto added = static_cast<double>(std::max<size_t>(1, made - before));
  goal_at_most("(d) memory per event wait, bytes",
               static_cast<double>(resident_bytes() - resident) / added, 512);
  // Others than those that were matched before.
  size_t step = std::max<size_t>(1, (made - few_waits) / (signals + 1));
  size_t first = made > few_waits + signals ? few_waits : signals;
  auto full = match_times(engine, signals, first, step, "full-");
  double full_p99 = percentile(full, 0.99);
  report("median against 1,000 listeners", percentile(full, 0.5) / percentile(few, 0.5), "x");
  floor_at_most("(d) match p95, ms", percentile(full, 0.95), 100);
  goal_at_most("(d) match p99, ms", full_p99, 5);
  goal_at_most("(d) match p99 against 1,000 listeners", full_p99 / std::max(few_p99, 1e-3), 1.5);
  goal_at_least("(d) signals that match nothing, per s", unmatched_rate(engine, 20'000), 10'000);
}

}  // namespace fermata::bench
