#include "adapters/redis/redis_shared.h"

#include "adapters/redis/redis_feed.h"
#include "base/json.h"

namespace fermata {

namespace {

constexpr std::chrono::milliseconds mirror_interval(250);
constexpr Duration snapshot_lease{10'000};
constexpr int64_t snapshot_ttl_s = 86'400;
const std::string snapshot_writer = "scheduler:snapshot:writer";

/// {captured_at, writer_id, pools, topics, workers} (C-31).
Value snapshot_of(Instant now, const std::string& writer, const Value& workers) {
  std::map<std::string, int64_t> pools, topics;
  for (const Value& worker : workers.items()) {
    if (const Value* pool = worker.find("pool"); pool && pool->is_string())
      ++pools[std::string(pool->as_string())];
    if (const Value* named = worker.find("topics"); named && named->is_array())
      for (const Value& topic : named->items())
        if (topic.is_string()) ++topics[std::string(topic.as_string())];
  }
  auto counts = [](const std::map<std::string, int64_t>& by_name) {
    Value out = Value::object();
    for (const auto& [name, count] : by_name) out.set(name, Value::object({{"workers", count}}));
    return out;
  };
  return Value::object({{"captured_at", to_rfc3339(now)},
                        {"writer_id", writer},
                        {"pools", counts(pools)},
                        {"topics", counts(topics)},
                        {"workers", workers}});
}

}  // namespace

RedisShared::RedisShared(RedisSharedOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      mirror_(options_.mirrors.contains("waits"), options_.mirrors.contains("delays")),
      barriers_(options_.mirrors.contains("barriers")) {}

RedisShared::~RedisShared() { stop(); }

Outcome<RedisOptions> RedisShared::link_options(const std::string& url) const {
  RedisOptions options;
  FERMATA_TRY(address, read_redis_address(url));
  options.address = std::move(address);
  if (options.address.password.empty()) options.address.password = options_.password;
  options.prefix = options_.prefix;
  options.cluster = options_.cluster;
  options.unsafe_allowed = options_.unsafe_allowed;
  return options;
}

/// Waits until it can be reached, as long as patience lasts.
Outcome<void> RedisShared::look_at(const std::string& url) const {
  FERMATA_TRY(options, link_options(url));
  options.on_trouble = options_.on_trouble;
  options.on_warning = options_.on_warning;
  RedisLink link(options);
  auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.start_patience.ms);
  for (;;) {
    auto connected = link.connect();
    if (connected || connected.error().code != ErrorCode::io_failed) return connected;
    if (std::chrono::steady_clock::now() >= deadline) return connected;
    std::this_thread::sleep_for(std::chrono::milliseconds(RedisLink::retry_first.ms));
    link.try_at_once();
  }
}

Outcome<std::unique_ptr<RedisShared>> RedisShared::open(RedisSharedOptions options,
                                                        const Clock& clock,
                                                        std::unique_ptr<Counters> meanwhile,
                                                        std::unique_ptr<Leases> instead) {
  std::unique_ptr<RedisShared> shared(new RedisShared(std::move(options), clock));
  const RedisSharedOptions& wanted = shared->options_;
  for (const std::string& url : std::set<std::string>{wanted.timers, wanted.leases})
    if (!url.empty()) FERMATA_TRY_VOID(shared->look_at(url));
  // Several links tell of one trouble; it is passed on once.
  auto told = [self = shared.get()](const std::string& trouble) { self->tell(trouble); };
  if (!wanted.leases.empty()) {
    FERMATA_TRY(redis, shared->link_options(wanted.leases));
    redis.on_trouble = told;
    shared->counters_ = std::make_unique<RedisCounters>(redis, clock, std::move(meanwhile));
    shared->leases_ =
        std::make_unique<RedisLeases>(redis, clock, wanted.replica, std::move(instead));
    shared->own_leases_ = std::make_unique<RedisLeases>(redis, clock, wanted.replica);
  }
  FERMATA_TRY(redis, shared->link_options(wanted.timers.empty() ? wanted.leases : wanted.timers));
  redis.on_trouble = told;
  shared->shown_ = std::make_unique<RedisLink>(redis);
  if (!wanted.timers.empty()) {
    RedisTimersOptions timers;
    timers.on_due = wanted.on_due;
    // A clock that is moved by hand does not wait for a network.
    if (wanted.time_is_virtual) timers.late = Duration{0};
    shared->timers_ = std::make_unique<RedisTimers>(redis, timers, clock);
  }
  return shared;
}

void RedisShared::tell(const std::string& trouble) {
  {
    std::lock_guard lock(trouble_mutex_);
    if (trouble.empty() == trouble_.empty()) return;
    trouble_ = trouble;
  }
  if (options_.on_trouble) options_.on_trouble(trouble);
}

std::unique_ptr<Feed> RedisShared::feed(Feed& inner) {
  return std::make_unique<RedisFeed>(inner, timers_.get(), mirror_.is_on() ? &mirror_ : nullptr,
                                     options_.full_payloads,
                                     barriers_.is_on() ? &barriers_ : nullptr);
}

void RedisShared::recall(std::span<const WaitRecord> waits) { mirror_.changed(waits); }

void RedisShared::begin(AskWorkers ask) {
  thread_ = std::thread([this, ask = std::move(ask)] {
    auto next_snapshot = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    do {
      lock.unlock();
      if (shown_->may_try()) show();
      if (auto now = std::chrono::steady_clock::now(); now >= next_snapshot) {
        next_snapshot = now + std::chrono::milliseconds(options_.snapshot_interval.ms);
        show_snapshot(ask);
      }
      lock.lock();
    } while (!bell_.wait_for(lock, mirror_interval, [&] { return stopping_; }));
  });
}

void RedisShared::stop() {
  if (timers_) timers_->mute();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  bell_.notify_all();
  if (thread_.joinable()) thread_.join();
}

/// Everything when Redis was away, has lost its index or ten minutes are over.
void RedisShared::show() {
  if (barriers_.is_on()) (void)barriers_.send(*shown_);
  if (!mirror_.is_on()) return;
  bool was_away = shown_->is_away();
  auto index = shown_->run({"GET", shown_->key(RedisIndex::index_name)});
  if (!index) return;
  auto now = std::chrono::steady_clock::now();
  bool everything = was_away || index->text != index_seen_ || now >= rewrite_at_;
  if (!mirror_.send(*shown_, everything)) {
    rewrite_at_ = {};  // what was to be sent is known no longer
    return;
  }
  if (!everything) return;
  index_seen_ = index->text;
  rewrite_at_ = now + std::chrono::milliseconds(options_.rewrite_interval.ms);
}

/// By one replica at a time (J-67); whole values, so that the last one wins where two write.
void RedisShared::show_snapshot(const AskWorkers& ask) {
  if (!shown_->may_try()) return;
  LeaseAnswer lease{LeaseState::held};
  if (own_leases_) lease = own_leases_->take(snapshot_writer, snapshot_lease);
  // Whoever asks first finds no index, and one right after.
  if (lease.state == LeaseState::lost) lease = own_leases_->take(snapshot_writer, snapshot_lease);
  if (lease.state != LeaseState::held) return;
  if (auto workers = ask()) {
    Value snapshot = snapshot_of(clock_.now(), options_.replica, *workers);
    (void)static_cast<bool>(shown_->run({"SET", shown_->key("sys:workers:snapshot"),
                                         to_json(snapshot), "EX", std::to_string(snapshot_ttl_s)}));
  }
  if (own_leases_) own_leases_->give_back({snapshot_writer, lease.fence, snapshot_lease});
}

bool RedisShared::is_away() const {
  return (timers_ && timers_->is_away()) || (counters_ && counters_->is_away());
}

std::string RedisShared::metrics() const {
  RedisTimers::Counts counts = timers_ ? timers_->counts() : RedisTimers::Counts{};
  std::string out;
  auto head = [&](const std::string& name, const char* kind, const char* help) {
    out += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n";
  };
  auto one = [&](const std::string& name, const char* help, uint64_t value) {
    head(name, "counter", help);
    out += name + " " + std::to_string(value) + "\n";
  };
  one("fermata_index_rebuilds_total", "Times that the index in Redis was lost and sent again.",
      counts.rebuilds);
  one("fermata_late_scan_fired_total", "Timers that Redis had not brought in time.",
      counts.late_fired);
  one("fermata_timers_claimed_total", "Timers claimed from Redis.", counts.claimed);
  one("fermata_timers_unusable_total", "Timers in Redis whose payload names no execution.",
      counts.unusable);
  head("fermata_lease_lost_total", "counter", "Leases that were not ours any more when renewed.");
  if (leases_)
    for (const auto& [name, lost] : leases_->lost())
      out += "fermata_lease_lost_total{name=\"" + name + "\"} " + std::to_string(lost) + "\n";
  return out;
}

}  // namespace fermata
