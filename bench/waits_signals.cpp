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
/// another contact, `step` after the last.
std::vector<double> match_times(Engine& engine, size_t signals, size_t first, size_t step,
                                const char* prefix) {
  std::vector<double> took;
  for (size_t i = 0; i < signals; ++i) {
    std::atomic<int> matched{-1};
    std::vector<IncomingSignal> one;
    one.push_back(
        {mail_to(first + i * step, prefix + std::to_string(i)), "bench", Duration{5'000}, {}});
    one.back().reply = [&](const Outcome<SignalTold>& told) {
      matched = told ? static_cast<int>(told->record.reach.total) : 0;
      matched.notify_one();
    };
    auto begin = std::chrono::steady_clock::now();
    if (!engine.host().submit_signals(std::move(one))) continue;
    matched.wait(-1);
    took.push_back(seconds_since(begin) * 1e3);
    if (matched != 1) std::printf("  a signal reached %d waits\n", matched.load());
  }
  return took;
}

/// Signals to contacts nobody listens for, so many at a time.
double unmatched_rate(Engine& engine, size_t signals) {
  constexpr size_t batch = 500;
  std::atomic<size_t> answered{0};
  auto begin = std::chrono::steady_clock::now();
  for (size_t at = 0; at < signals; at += batch) {
    std::vector<IncomingSignal> many;
    for (size_t i = 0; i < batch; ++i) {
      many.push_back({mail_to(900'000'000 + at + i, "none-" + std::to_string(at + i)),
                      "bench",
                      Duration{5'000},
                      {}});
      many.back().reply = [&](const Outcome<SignalTold>&) { ++answered; };
    }
    if (!engine.host().submit_signals(std::move(many))) answered += batch;
    while (answered + 4 * batch < at + batch) std::this_thread::yield();
  }
  auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (answered < signals && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  return static_cast<double>(answered) / seconds_since(begin);
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
  auto few = match_times(engine, signals, 0, 1, "few-");
  double few_p99 = percentile(few, 0.99);
  report("match with 1,000 listeners, p99", few_p99, "ms");
  uint64_t resident = resident_bytes();
  size_t before = made;
  closed_loop(engine, 512, many - std::min(many, made), next);
  auto added = static_cast<double>(std::max<size_t>(1, made - before));
  report("memory per event wait", static_cast<double>(resident_bytes() - resident) / added,
         "bytes");
  // Others than those that were matched before.
  size_t step = std::max<size_t>(1, (made - few_waits) / (signals + 1));
  size_t first = made > few_waits + signals ? few_waits : signals;
  auto full = match_times(engine, signals, first, step, "full-");
  double full_p99 = percentile(full, 0.99);
  report("match, p95", percentile(full, 0.95), "ms");
  report("match, p99", full_p99, "ms");
  report("against 1,000 listeners", full_p99 / std::max(few_p99, 1e-3), "x");
  floor_at_most("(d) match p95, ms", percentile(full, 0.95), 100);
  report("signals that match nothing", unmatched_rate(engine, 20'000), "/s");
}

}  // namespace fermata::bench
