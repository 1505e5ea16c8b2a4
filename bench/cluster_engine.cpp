#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "adapters/rabbitmq/rabbit_bus.h"
#include "adapters/redis/redis_feed.h"
#include "adapters/redis/redis_timers.h"
#include "base/json.h"
#include "base/uuid.h"
#include "bench/cluster.h"
#include "core/graph/check.h"
#include "front/rune/announcer.h"
#include "host/relay.h"

namespace fermata::bench {

namespace {

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "bench: %s\n", error.message.c_str());
  std::exit(5);
}

template <class T>
T must(Outcome<T> outcome) {
  if (!outcome) give_up(outcome.error());
  return *std::move(outcome);
}

}  // namespace

std::string Beside::name() const {
  if (redis && rabbit) return "PostgreSQL, Redis, RabbitMQ";
  if (redis) return "PostgreSQL, Redis";
  return rabbit ? "PostgreSQL, RabbitMQ" : "PostgreSQL alone";
}

struct ClusterEngine::Parts {
  std::string schema;
  std::unique_ptr<PostgresStore> store;
  SystemClock clock;
  SystemEntropy entropy;
  NoCalls calls;
  server::FeedHub hub;
  MeasuringFeed feed{hub};
  std::unique_ptr<WheelTimers> wheel;
  std::unique_ptr<RedisTimers> redis;
  std::unique_ptr<RedisFeed> redis_feed;
  std::unique_ptr<front::Definitions> definitions;
  std::unique_ptr<server::EngineDefinitions> engine_definitions;
  std::unique_ptr<RabbitBus> bus;
  std::unique_ptr<rune::RuneAnnouncer> announcer;
  std::unique_ptr<Relay> relay;
  std::atomic<bool> stopping{false};
  std::thread relaying;
  std::unique_ptr<Host> host;
  std::thread thread;
  std::atomic<uint64_t> next_id{1};

  Timers& timers() { return redis ? static_cast<Timers&>(*redis) : static_cast<Timers&>(*wheel); }
  void use_rabbit() {
    RabbitOptions options;
    options.address = must(rabbit_address(rabbit_url()));
    bus = must(RabbitBus::open(std::move(options)));
    announcer = std::make_unique<rune::RuneAnnouncer>(rune::Options{}, [] {});
    relay = std::make_unique<Relay>(*store, *bus, rune::lane);
    relaying = std::thread([this] {
      while (!stopping)
        if (!relay->turn(clock.now()).at_once) usleep(500);
    });
  }
};

ClusterEngine::ClusterEngine(Beside beside) : parts_(std::make_unique<Parts>()) {
  static int schemas = 0;
  Parts& p = *parts_;
  p.schema = "bench" + std::to_string(++schemas);
  PostgresOptions options;
  options.url = postgres_url();
  options.schema = p.schema;
  options.holder = "bench";
  p.store = must(open_postgres(std::move(options)));
  if (!must(p.store->take_lead())) give_up({ErrorCode::store_unavailable, "another leads", {}});
  p.definitions = std::make_unique<front::Definitions>(*p.store);
  p.engine_definitions = std::make_unique<server::EngineDefinitions>(*p.definitions, *p.store);
  Feed* feed = &p.feed;
  if (beside.redis) {
    RedisOptions redis;
    redis.address = must(read_redis_address(redis_url()));
    redis.prefix = p.schema + ":";
    RedisTimersOptions more;
    more.on_due = [&p] {
      if (p.host) p.host->wake();
    };
    p.redis = std::make_unique<RedisTimers>(std::move(redis), std::move(more), p.clock);
    p.redis_feed = std::make_unique<RedisFeed>(p.feed, p.redis.get(), nullptr, false);
    feed = p.redis_feed.get();
  } else {
    p.wheel = std::make_unique<WheelTimers>();
  }
  if (beside.rabbit) p.use_rabbit();
  HostPorts ports{*p.store, p.timers(), p.calls, p.clock, p.entropy, *feed, *p.engine_definitions};
  ports.announcer = p.announcer.get();
  ports.outbox = p.store.get();
  p.host = std::make_unique<Host>(ports, HostSettings{});
  if (auto recovered = p.host->recover(); !recovered) give_up(recovered.error());
  p.thread = std::thread([&p] { p.host->run(); });
}

ClusterEngine::~ClusterEngine() {
  Parts& p = *parts_;
  p.host->stop();
  p.thread.join();
  if (p.redis) p.redis->mute();
  p.stopping = true;
  if (p.relaying.joinable()) p.relaying.join();
}

Host& ClusterEngine::host() { return *parts_->host; }
Timers& ClusterEngine::timers() { return parts_->timers(); }
MeasuringFeed& ClusterEngine::feed() { return parts_->feed; }
const std::string& ClusterEngine::schema() const { return parts_->schema; }
uint64_t ClusterEngine::outbox_rows() { return must(parts_->store->outbox_rows(rune::lane)); }

graph::DefinitionRef ClusterEngine::define(const std::string& json) {
  auto checked = graph::check_definition(*parse_json(json), json);
  if (!checked.definition) give_up({ErrorCode::invalid_definition, "a wrong definition", {}});
  WorkflowPut put;
  put.account = AccountId("default");
  put.id = WorkflowId("bench");
  put.hash = checked.definition->hash;
  put.canonical = to_canonical_json(checked.definition->canonical);
  put.at = parts_->clock.now();
  put.actor = "bench";
  auto stored = parts_->store->put_workflow(
      put, {put.account, put.at, "bench", "workflow.put", "bench", "", {}});
  if (!stored) give_up(stored.error());
  return parts_->definitions->keep(checked.definition);
}

Command ClusterEngine::start(const graph::DefinitionRef& definition) {
  StartRun start;
  start.account = AccountId("default");
  start.workflow = WorkflowId("bench");
  start.workflow_version = 1;
  start.definition = definition;
  start.input = Value::object({{"order", 17}});
  start.trigger = start.input;
  uint64_t number = parts_->next_id++;
  return {RunId(uuid_v7(parts_->clock.now(), number, number)), std::move(start), "engine"};
}

double ClusterEngine::closed_loop(size_t outstanding, size_t total,
                                  const std::function<Command()>& make) {
  return bench::closed_loop(host(), outstanding, total, make);
}

}  // namespace fermata::bench
