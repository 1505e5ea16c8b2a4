#include "bench/waits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fermata::bench {

namespace {

constexpr const char* time_wait =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"wait_type":"until_date",
                  "target_date":"$input.at"}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";
constexpr const char* event_wait =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"wait_type":"for_event",
                  "event_type":"email_open","timeout_hours":2000}}],
        "edges":[{"id":"e","src":"t","dst":"w"}]})";

uint64_t bytes_below(const std::filesystem::path& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

/// p95 of so many questions, in milliseconds.
double asked(size_t times, const std::function<bool()>& ask) {
  std::vector<double> took;
  for (size_t i = 0; i < times; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (!expect(ask(), "a question was not answered")) break;
    took.push_back(seconds_since(begin) * 1e3);
  }
  return percentile(took, 0.95);
}

/// Pending waits that nothing holds.
uint64_t pending_waits(Engine& engine) {
  auto tally = engine.store->wait_tally(AccountId("default"), WorkflowId(), engine.clock.now());
  uint64_t waits = 0;
  if (tally)
    for (const WaitTally::Pending& some : tally->pending)
      if (some.hold.empty()) waits += some.waits;
  return waits;
}

void ask_lists(Engine& engine, size_t waits) {
  Instant now = engine.clock.now();
  AccountId account("default");
  WaitFilter pending{.account = account, .statuses = {WaitStatus::scheduled, WaitStatus::waiting}};
  double list =
      asked(50, [&] { return static_cast<bool>(engine.store->list_waits(pending, 100, {})); });
  report("first page of pending waits, p95", list, "ms");
  auto half = engine.store->list_waits(pending, 1, {"", waits / 2});
  std::string cursor = half ? half->next_cursor : "";
  double deep = asked(
      50, [&] { return static_cast<bool>(engine.store->list_waits(pending, 100, {cursor, 0})); });
  report("page in the middle by cursor, p95", deep, "ms");
  double stats = asked(
      50, [&] { return static_cast<bool>(engine.store->wait_tally(account, WorkflowId(), now)); });
  report("statistics, p95", stats, "ms");
  WaitFilter calendar = pending;
  calendar.on_hold = false;
  calendar.due_from = now;
  calendar.due_to = now + Duration{int64_t{30} * 86'400'000};
  double month = asked(20, [&] { return static_cast<bool>(engine.store->wait_slots(calendar)); });
  report("calendar of a month, p95", month, "ms");
  for (auto [what, figure] :
       {std::pair{"list", list}, {"cursor", deep}, {"stats", stats}, {"calendar", month}})
    floor_at_most(std::string("(a) ") + what + " p95, ms", figure, 50);
}

}  // namespace

size_t many_waits() {
  const char* given = std::getenv("FERMATA_BENCH_WAITS");
  return given ? std::max<size_t>(few_waits, std::strtoull(given, nullptr, 10)) : 1'000'000;
}

graph::DefinitionRef define_time_wait(Engine& engine) { return engine.define("bench", time_wait); }
graph::DefinitionRef define_event_wait(Engine& engine) {
  return engine.define("bench", event_wait);
}

Command waiting_run(Engine& engine, const graph::DefinitionRef& definition, Instant at) {
  return engine.start(definition, Value::object({{"at", to_rfc3339(at)}}));
}

Command listening_run(Engine& engine, const graph::DefinitionRef& definition, size_t contact) {
  Command command = engine.start(definition, Value::object());
  std::get<StartRun>(command.body).contact_id = "c-" + std::to_string(contact);
  return command;
}

std::vector<double> latencies_at(Engine& engine, double per_second, double seconds,
                                 const MakeCommand& make) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::vector<double> took;
  auto total = static_cast<size_t>(per_second * seconds);
  auto begin = Clock::now();
  for (size_t i = 0; i < total; ++i) {
    auto due = begin + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(static_cast<double>(i) / per_second));
    std::this_thread::sleep_until(due);
    bool sent = engine.host().submit(make(), [&, due](const Outcome<RunSummary>&) {
      double ms = std::chrono::duration<double>(Clock::now() - due).count() * 1e3;
      std::lock_guard lock(mutex);
      took.push_back(ms);
    });
    if (!sent) --total;
  }
  auto patience = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < patience) {
    {
      std::lock_guard lock(mutex);
      if (took.size() >= total) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::lock_guard lock(mutex);
  return took;
}

void measure_many_waits() {
  size_t many = many_waits();
  section("(a) " + std::to_string(many) + " pending waits");
  std::filesystem::path directory = fresh_directory("waits");
  uint64_t pending = 0;
  {
    Engine engine(directory);
    auto definition = define_time_wait(engine);
    size_t made = 0;
    // Spread over a month, as waits are.
    auto next = [&] {
      int64_t ahead = 3'600'000 + static_cast<int64_t>(made++ % 43'000) * 60'000;
      return waiting_run(engine, definition, engine.clock.now() + Duration{ahead});
    };
    closed_loop(engine, 64, few_waits, next);
    auto few = latencies_at(engine, 500, 4, next);
    double few_p95 = percentile(few, 0.95);
    report("create a wait at 500/s, empty store, p95", few_p95, "ms");
    uint64_t resident = resident_bytes(), disk = bytes_below(directory);
    size_t before = made;
    double rate = closed_loop(engine, 512, many - std::min(many, made), next);
    auto added = static_cast<double>(std::max<size_t>(1, made - before));
    report("waits opened per second", rate, "/s");
    goal_at_most("(a) memory per time wait, bytes",
                 static_cast<double>(resident_bytes() - resident) / added, 256);
    goal_at_most("(a) disk per time wait, bytes",
                 static_cast<double>(bytes_below(directory) - disk) / added, 1536);
    auto full = latencies_at(engine, 500, 4, next);
    double full_p95 = percentile(full, 0.95);
    report("create a wait at 500/s, p95", full_p95, "ms");
    report("the same, worst", full.empty() ? 0 : full.back(), "ms");
    expect(few.size() == 2'000 && full.size() == 2'000, "waits that were not answered");
    goal_at_most("(a) create p95 against the empty store", full_p95 / std::max(few_p95, 1e-3), 1.3);
    goal_at_most("(a) create p95, ms (goal)", full_p95, 10);
    floor_at_most("(a) create p95, ms", full_p95, 100);
    floor_at_most("(a) create worst, ms", full.empty() ? 0 : full.back(), 500);
    pending = pending_waits(engine);
    expect(pending == made, "of " + std::to_string(made) + " waits " + std::to_string(pending) +
                                " are pending and not held");
    if (many >= 100'000) floor_at_least("(a) pending waits", static_cast<double>(pending), 100'000);
    ask_lists(engine, made);
  }
  Engine engine(directory);
  goal_at_most("(a) restart: ready after, s", engine.open_seconds, 5);
  expect(engine.timers.size() == pending,
         std::to_string(engine.timers.size()) + " timers were armed after the restart");
}

void measure_resumes() {
  section("(b) resumes at 5,000 a second");
  Engine engine(fresh_directory("resumes"));
  auto definition = define_time_wait(engine);
  constexpr size_t waits = 50'000;
  std::mutex mutex;
  std::vector<double> lateness;
  engine.feed.on_end = [&](const RunSummary& summary) {
    std::lock_guard lock(mutex);
    const Value& due = summary.labels.get("due");
    lateness.push_back(static_cast<double>(engine.clock.now().ms - due.as_integer()));
  };
  Instant first = engine.clock.now() + Duration{30'000};
  std::atomic<size_t> next{0};
  closed_loop(engine, 512, waits, [&] {
    Instant at = first + Duration{static_cast<int64_t>(next++ / 5)};
    Command command = waiting_run(engine, definition, at);
    std::get<StartRun>(command.body).labels = Value::object({{"due", at.ms}});
    return command;
  });
  if (engine.clock.now() > first)
    std::printf("  opening took over 30 s: lateness is of a backlog\n");
  bool all = engine.await_ended(waits, 120);
  std::lock_guard lock(mutex);
  double p95 = percentile(lateness, 0.95), p99 = percentile(lateness, 0.99);
  expect(all && lateness.size() == waits, "not every wait was resumed once");
  floor_at_most("(b) lateness p95, ms", p95, 60'000);
  floor_at_most("(b) lateness p99, ms", p99, 300'000);
  goal_at_most("(b) lateness p99, ms (goal)", p99, 50);
  floor_at_least("(b) never early, ms", lateness.empty() ? -1 : lateness.front(), 0);
}

namespace {

constexpr size_t herd = 100'000;

/// A herd that falls due at one instant; what is done a moment before and while it resumes is up to
/// the caller. Gives the seconds that it took.
double with_herd(const char* name, const std::function<void(Engine&, const MakeCommand&)>& idle,
                 const std::function<void(Engine&, const MakeCommand&)>& busy) {
  Engine engine(fresh_directory(name));
  auto definition = define_time_wait(engine);
  Instant due = engine.clock.now() + Duration{45'000};
  closed_loop(engine, 512, herd, [&] { return waiting_run(engine, definition, due); });
  Instant far = due + Duration{int64_t{30} * 86'400'000};
  MakeCommand another = [&] { return waiting_run(engine, definition, far); };
  idle(engine, another);
  expect(engine.clock.now() < due, "the herd was due before everything was ready");
  while (engine.clock.now() < due) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  auto begin = std::chrono::steady_clock::now();
  std::thread beside([&] { busy(engine, another); });
  bool all = engine.await_ended(herd, 300);
  double seconds = seconds_since(begin);
  beside.join();
  expect(all && engine.feed.ended == herd, "not every wait of the herd was resumed once");
  return seconds;
}

/// Durable answers a second while 64 are always under way, for three seconds at most and as long as
/// it goes on.
double rate_while(Engine& engine, const MakeCommand& make, const std::function<bool()>& goes_on) {
  auto begin = std::chrono::steady_clock::now();
  size_t answered = 0;
  while (seconds_since(begin) < 3 && goes_on()) {
    closed_loop(engine, 64, 512, make);
    answered += 512;
  }
  return static_cast<double>(answered) / seconds_since(begin);
}

}  // namespace

void measure_wait_herd() {
  section("(c) 100,000 waits due at one instant");
  std::vector<double> quiet, beside;
  double seconds = with_herd(
      "wait-herd",
      [&](Engine& engine, const MakeCommand& make) { quiet = latencies_at(engine, 500, 3, make); },
      [&](Engine& engine, const MakeCommand& make) {
        beside = latencies_at(engine, 500, 3, make);
      });
  goal_at_most("(c) all resumed after, s", seconds, 25);
  floor_at_least("(c) resumes per minute", herd / seconds * 60, 1'000);
  goal_at_least("(c) resumes per second", herd / seconds, 5'000);
  report("new requests when idle, p99", percentile(quiet, 0.99), "ms");
  goal_at_most("(c) new requests meanwhile p99, ms", percentile(beside, 0.99), 100);

  double idle_rate = 0, busy_rate = 0;
  with_herd(
      "wait-herd",
      [&](Engine& engine, const MakeCommand& make) {
        idle_rate = rate_while(engine, make, [] { return true; });
      },
      [&](Engine& engine, const MakeCommand& make) {
        busy_rate = rate_while(engine, make, [&] { return engine.feed.ended < herd; });
      });
  report("new requests when idle, 64 under way", idle_rate, "/s");
  report("the same while the herd resumes", busy_rate, "/s");
  goal_at_least("(c) new requests meanwhile against idle", busy_rate / std::max(idle_rate, 1e-3),
                0.5);
}

}  // namespace fermata::bench
