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
    if (!ask()) std::printf("  a question was not answered\n");
    took.push_back(seconds_since(begin) * 1e3);
  }
  return percentile(took, 0.95);
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
                                 const std::function<Command()>& make) {
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
    report("memory per time wait", static_cast<double>(resident_bytes() - resident) / added,
           "bytes");
    report("disk per time wait", static_cast<double>(bytes_below(directory) - disk) / added,
           "bytes");
    auto full = latencies_at(engine, 500, 4, next);
    double full_p95 = percentile(full, 0.95);
    report("create a wait at 500/s, p95", full_p95, "ms");
    report("the same, worst", full.empty() ? 0 : full.back(), "ms");
    report("against the empty store", full_p95 / std::max(few_p95, 1e-3), "x");
    floor_at_most("(a) create p95, ms", full_p95, 100);
    floor_at_most("(a) create worst, ms", full.empty() ? 0 : full.back(), 500);
    ask_lists(engine, made);
  }
  Engine engine(directory);
  report("restart: ready after", engine.open_seconds, "s");
  report("timers armed", static_cast<double>(engine.timers.size()), "");
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
  double p99 = percentile(lateness, 0.99);
  report("lateness, p95", percentile(lateness, 0.95), "ms", all ? "" : "NOT ALL");
  report("lateness, p99", p99, "ms");
  report("earliest", lateness.empty() ? 0 : lateness.front(), "ms");
  floor_at_most("(b) lateness p99, ms", p99, 300'000);
  floor_at_least("(b) never early, ms", lateness.empty() ? -1 : lateness.front(), 0);
}

void measure_wait_herd() {
  section("(c) 100,000 waits due at one instant");
  constexpr size_t herd = 100'000;
  Engine engine(fresh_directory("wait-herd"));
  auto definition = define_time_wait(engine);
  Instant due = engine.clock.now() + Duration{45'000};
  closed_loop(engine, 512, herd, [&] { return waiting_run(engine, definition, due); });
  Instant far = due + Duration{int64_t{30} * 86'400'000};
  auto idle = latencies_at(engine, 500, 3, [&] { return waiting_run(engine, definition, far); });
  while (engine.clock.now() < due) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  auto begin = std::chrono::steady_clock::now();
  auto busy = latencies_at(engine, 500, 3, [&] { return waiting_run(engine, definition, far); });
  bool all = engine.await_ended(herd, 300);
  double seconds = seconds_since(begin);
  report("all resumed after", seconds, "s", all ? "" : "NOT ALL");
  report("resumes per minute", herd / seconds * 60, "");
  report("new requests meanwhile, p99", percentile(busy, 0.99), "ms");
  report("new requests when idle, p99", percentile(idle, 0.99), "ms");
  floor_at_least("(c) resumes per minute", herd / seconds * 60, 1'000);
}

}  // namespace fermata::bench
