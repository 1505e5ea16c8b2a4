#include "bench/engine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/json.h"
#include "base/uuid.h"
#include "bench/flow.h"
#include "core/graph/check.h"

namespace fermata::bench {

namespace {

std::filesystem::path data_root() {
  const char* given = std::getenv("FERMATA_BENCH_DIR");
  return given ? std::filesystem::path(given) : std::filesystem::path("build/bench-data");
}

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double percentile(std::vector<double>& samples, double fraction) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  auto index = static_cast<size_t>(fraction * static_cast<double>(samples.size() - 1));
  return samples[index];
}

std::filesystem::path fresh_directory(const std::string& name) {
  std::filesystem::path path = data_root() / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

NoLimits::NoLimits() {
  auto settings = std::make_shared<AccountSettings>();
  settings->limits = {0, 0, 0};
  auto table = std::make_shared<AccountTable>();
  table->settings[AccountId("default")] = std::move(settings);
  table_ = std::move(table);
}

Engine::Engine(const std::filesystem::path& directory) {
  auto begin = std::chrono::steady_clock::now();
  auto opened = open_sqlite(directory);
  if (!opened) {
    std::fprintf(stderr, "bench: %s\n", opened.error().message.c_str());
    std::exit(5);
  }
  store = *std::move(opened);
  definitions_ = std::make_unique<front::Definitions>(*store);
  engine_definitions_ = std::make_unique<server::EngineDefinitions>(*definitions_, *store);
  HostPorts ports{*store, timers, calls, clock, entropy, feed, *engine_definitions_};
  ports.contacts = store.get();
  ports.accounts = &accounts;
  host_ = std::make_unique<Host>(ports, HostSettings{});
  if (auto recovered = host_->recover(); !recovered) {
    std::fprintf(stderr, "bench: %s\n", recovered.error().message.c_str());
    std::exit(5);
  }
  open_seconds = seconds_since(begin);
  thread_ = std::thread([this] { host_->run(); });
}

Engine::~Engine() {
  host_->stop();
  thread_.join();
}

graph::DefinitionRef Engine::define(const std::string& workflow, const std::string& json) {
  auto document = parse_json(json);
  auto checked = graph::check_definition(*document, json);
  if (!checked.definition) {
    std::fprintf(stderr, "bench: %s: %s\n", workflow.c_str(),
                 checked.errors.front().message.c_str());
    std::exit(1);
  }
  return keep(workflow, checked.definition);
}

graph::DefinitionRef Engine::define_script(const std::string& workflow, const std::string& source) {
  return keep(workflow, Script(source).definition());
}

graph::DefinitionRef Engine::keep(const std::string& workflow,
                                  const graph::DefinitionRef& definition) {
  WorkflowPut put;
  put.account = AccountId("default");
  put.id = WorkflowId(workflow);
  put.hash = definition->hash;
  put.canonical = to_canonical_json(definition->canonical);
  put.at = clock.now();
  put.actor = "bench";
  auto stored =
      store->put_workflow(put, {put.account, put.at, "bench", "workflow.put", workflow, "", {}});
  if (!stored) std::exit(5);
  return definitions_->keep(definition);
}

Command Engine::start(const graph::DefinitionRef& definition, Value input) {
  StartRun start;
  start.account = AccountId("default");
  start.workflow = WorkflowId("bench");
  start.workflow_version = 1;
  start.definition = definition;
  start.input = input;
  start.trigger = std::move(input);
  uint64_t number = next_id_++;
  return {RunId(uuid_v7(clock.now(), number, number)), std::move(start), "engine"};
}

bool Engine::await_ended(uint64_t count, double seconds) {
  auto begin = std::chrono::steady_clock::now();
  while (feed.ended < count) {
    if (seconds_since(begin) > seconds) return false;
    std::this_thread::yield();
    usleep(500);
  }
  return true;
}

double closed_loop(Host& host, size_t outstanding, size_t total,
                   const std::function<Command()>& make) {
  std::atomic<size_t> answered{0}, refused{0};
  auto reply = [&](const Outcome<RunSummary>& outcome) {
    if (!outcome) ++refused;
    ++answered;
    answered.notify_one();
  };
  auto begin = std::chrono::steady_clock::now();
  // Callers are many and small: one thread submits on behalf of all of them.
  for (size_t started = 0, seen = 0; seen < total; seen = answered) {
    size_t room = std::min(outstanding - (started - seen), total - started);
    if (room == 0) answered.wait(seen);
    started += room;
    for (; room > 0; --room)
      if (!host.submit(make(), [&](Outcome<RunSummary> outcome) { reply(outcome); }))
        reply(fail(ErrorCode::queue_full, "refused"));
  }
  double seconds = seconds_since(begin);
  if (refused > 0) std::fprintf(stderr, "bench: %zu commands were refused\n", refused.load());
  return static_cast<double>(total) / seconds;
}

}  // namespace fermata::bench
