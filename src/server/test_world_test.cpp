// The world that the tests of this folder share; it has the suffix of a test so that it stays out
// of the library.
#include "server/test_world.h"

#include <future>
#include <thread>

#include "adapters/memory/entropy.h"
#include "adapters/memory/memory_counters.h"
#include "adapters/memory/memory_kernel.h"
#include "adapters/memory/memory_store.h"
#include "adapters/memory/virtual_clock.h"
#include "adapters/memory/wheel_timers.h"
#include "adapters/scan/thread_scans.h"
#include "base/json.h"
#include "host/host.h"
#include "host/tracing.h"
#include "server/engine_definitions.h"
#include "server/keys.h"

namespace fermata::server {

const char* const instant_workflow =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"e","name":"Edit","type":"edit","parameters":{"assignments":[
          {"name":"doubled","value":"{{ $input.n * 2 }}"}]}}],
       "edges":[{"id":"1","src":"t","dst":"e"}],"result":"{{ $Edit.$json }}"})";

const char* const waiting_workflow =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"w","name":"Wait","type":"wait_for_signal","parameters":{"name":"go"}}],
       "edges":[{"id":"1","src":"t","dst":"w"}]})";

namespace {

/// Calls that never come back.
class NoCalls final : public Calls {
 public:
  void submit(const CallTicket&, CallRequest) override {}
  void abandon(const CallTicket&) override {}
  std::vector<CallAnswer> harvest() override { return {}; }
  bool holds(const CallTicket&) const override { return true; }
  size_t in_flight() const override { return 0; }
};

class NoTelemetry final : public Telemetry {
 public:
  void record(Make, size_t) override {}
  Counts counts() const override { return {}; }
};

ServerOptions any_port() {
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  return options;
}

}  // namespace

bool TestIntake::submit(Command command, Reply reply) {
  if (full) return false;
  if (!failure) return engine_.submit(std::move(command), std::move(reply));
  reply(Failure{*failure});
  return true;
}

HostSettings host_settings(const ApiOptions& options) {
  HostSettings settings;
  settings.jobs = options.job_limits;
  settings.policy = options.policy;
  settings.output = options.output;
  return settings;
}

/// The API and the engine draw ids on different threads, hence two sources of entropy.
struct TestWorld::Inside {
  explicit Inside(ApiOptions options)
      : tracing(hub, options.telemetry ? *options.telemetry : no_telemetry),
        host(HostPorts{store, timers, calls, clock, engine_entropy, tracing, engine_definitions,
                       nullptr, &sink, &store, &accounts, &kernel, &counters, &store, &scans},
             host_settings(options)),
        api(ApiParts{intake, store, store, store,    clock, api_entropy, hub,  definitions,
                     vault,  store, host,  host,     store, store,       host, host,
                     policy, host,  store, accounts, store, pools},
            with_scanner(std::move(options))),
        server(any_port(), api) {
    sink.ring = [this] { host.wake(); };
    kernel.on_answer = [this] { host.wake(); };
    auto started = server.start();
    check(static_cast<bool>(started));
    check(static_cast<bool>(api.recover()));
    check(static_cast<bool>(policy.start()));
    check(static_cast<bool>(pools.start()));
    engine = std::thread([this] { host.run(); });
    running = true;
    client = std::make_unique<TestClient>(server.port());
  }
  ApiOptions with_scanner(ApiOptions options) {
    options.clean_text = [this](const policy::AccountPolicy& rules,
                                const policy::OutputFacts& facts,
                                const Value& text) { return scans.cleaned(rules, facts, text); };
    return options;
  }
  /// Texts of policy are JSON here; the file is what the test says it is.
  front::PolicyBoard::Options policy_options() {
    front::PolicyBoard::Options options;
    options.file = "safety.yaml";
    options.read_file = [this](const std::string&) -> Outcome<std::optional<std::string>> {
      return policy_file;
    };
    auto read_text = [](std::string_view text) -> Outcome<policy::ReadText> {
      auto value = parse_json(text);
      if (!value)
        return fail(ErrorCode::policy_invalid, value.error().message, value.error().findings);
      return policy::ReadText{*std::move(value), {}};
    };
    options.read_text = policy::TextReader(read_text, complaint_about_pattern);
    options.activate = [this](const policy::PolicyPtr& set) {
      put_in_force([set](Workers& workers) { workers.set_policy(set); });
    };
    return options;
  }
  front::PoolBoard::Options pool_options() {
    front::PoolBoard::Options options;
    options.activate = [this](const fleet::PoolTablePtr& table) {
      put_in_force([table](Workers& workers) { workers.set_pools(table); });
    };
    return options;
  }
  void put_in_force(const std::function<void(Workers&)>& change) {
    std::promise<void> done;
    bool waits = running;
    // Nobody waits for it before the engine runs.
    auto* told = waits ? &done : nullptr;
    check(host.with_workers([told, change](Workers& workers) {
      change(workers);
      if (told) told->set_value();
    }));
    if (waits) done.get_future().wait();
  }
  std::optional<std::string> policy_file{};
  ~Inside() {
    client.reset();
    server.stop(std::chrono::milliseconds(0));
    host.stop();
    engine.join();
  }

  MemoryStore store;
  WheelTimers timers;
  NoCalls calls;
  TestSink sink;
  VirtualClock clock{*parse_rfc3339("2026-01-26T00:00:00Z")};
  MemoryKernel kernel;
  MemoryCounters counters{clock};
  SeededEntropy engine_entropy{1};
  SeededEntropy api_entropy{2};
  FeedHub hub;
  NoTelemetry no_telemetry;
  TracingFeed tracing;
  front::Definitions definitions{store};
  front::Vault vault{store, front::given_keys(SealingKeys::fresh())};
  front::AccountBook accounts{store};
  EngineDefinitions engine_definitions{definitions, store};
  Host host;
  ThreadScans scans{store, ThreadScansOptions{.now = [this] { return clock.now(); },
                                              .on_answer = [this] { host.wake(); }}};
  TestIntake intake{host};
  std::atomic<bool> running{false};
  front::PolicyBoard policy{store, clock, policy_options()};
  front::PoolBoard pools{store, clock, pool_options()};
  Api api;
  Server server;
  std::thread engine;
  std::unique_ptr<TestClient> client;
};

TestWorld::TestWorld(const std::function<void(ApiOptions&)>& change) {
  ApiOptions options;
  options.access.mode = AccessMode::local;
  if (change) change(options);
  inside_ = std::make_unique<Inside>(std::move(options));
}

TestWorld::~TestWorld() = default;
MemoryKernel& TestWorld::kernel() { return inside_->kernel; }
TestSink& TestWorld::sink() { return inside_->sink; }

void TestSink::submit(const CallTicket& ticket, CallRequest request) {
  CallAnswer given;
  given.status = 200;
  {
    std::lock_guard lock(mutex_);
    if (answer) given = answer(request);
    given.ticket = ticket;
    received_.push_back(std::move(request));
    answers_.push_back(std::move(given));
  }
  if (ring) ring();
}

std::vector<CallAnswer> TestSink::harvest() {
  std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

size_t TestSink::in_flight() const {
  std::lock_guard lock(mutex_);
  return answers_.size();
}

std::vector<CallRequest> TestSink::received() const {
  std::lock_guard lock(mutex_);
  return received_;
}
Api& TestWorld::api() { return inside_->api; }
Server& TestWorld::server() { return inside_->server; }
TestIntake& TestWorld::intake() { return inside_->intake; }
TestClient& TestWorld::client() { return *inside_->client; }

std::string TestWorld::Answer::code() const {
  const Value& found = body.get("code");
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

TestWorld::Answer TestWorld::ask(std::string_view method, std::string_view target,
                                 std::string_view body, std::string_view headers) {
  ClientAnswer raw = client().ask(method, target, body, headers);
  Answer answer{raw.status, {}, raw.headers, raw.body};
  if (auto parsed = parse_json(raw.body)) answer.body = *std::move(parsed);
  return answer;
}

void TestWorld::advance(Duration by) {
  std::promise<void> arrived;
  inside_->host.advance_clock(
      inside_->clock.now() + by, [this](Instant at) { inside_->clock.set(at); },
      [&arrived] { arrived.set_value(); });
  arrived.get_future().wait();
}

void TestWorld::put_workflows() {
  check(ask("PUT", "/api/v1/workflows/instant", instant_workflow).status == 201);
  check(ask("PUT", "/api/v1/workflows/waiting", waiting_workflow).status == 201);
}

std::string TestWorld::start(std::string_view workflow, std::string_view body) {
  auto answer = ask("POST", "/api/v1/workflows/" + std::string(workflow) + "/executions", body);
  check(answer.status == 201);
  return std::string(answer.body.get("id").as_string());
}

bool TestWorld::wait_for(const std::string& id, std::string_view status) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    auto answer = ask("GET", "/api/v1/executions/" + id);
    if (answer.body.get("status") == Value(status)) return true;
  }
  return false;
}

std::string TestWorld::add_key(Role role, const std::string& account) {
  NewKey made = make_key();
  KeyRecord record;
  record.id = made.id;
  record.account = AccountId(account);
  record.role = role;
  record.secret_hash = made.secret_hash;
  record.created_at = inside_->clock.now();
  check(static_cast<bool>(inside_->store.put_key(record, {})));
  return made.secret;
}

}  // namespace fermata::server
