#include "adapters/redis/redis_counters.h"

namespace fermata {

namespace {

/// KEYS: counter. ARGV: by, milliseconds that it lasts from now on.
constexpr RedisScript add_script{R"(
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
if tonumber(ARGV[2]) <= 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return value
)"};

/// Value and rest of time of each key, read at one instant.
constexpr RedisScript read_script{R"(
local out = {}
for _, key in ipairs(KEYS) do
  out[#out + 1] = redis.call('GET', key)
  out[#out + 1] = redis.call('PTTL', key)
end
return out
)"};

constexpr std::chrono::milliseconds mend_interval(100);

RedisOptions with_timeout(RedisOptions options, Duration timeout) {
  options.command_timeout = timeout;
  return options;
}

}  // namespace

RedisCounters::RedisCounters(RedisOptions options, const Clock& clock,
                             std::unique_ptr<Counters> meanwhile)
    : clock_(clock),
      meanwhile_(std::move(meanwhile)),
      link_(with_timeout(std::move(options), call_timeout)) {
  {
    // Where it can be reached at all, the first count is a shared one already.
    std::lock_guard lock(mutex_);
    (void)static_cast<bool>(link_.connect());
  }
  mender_ = std::thread([this] { mend(); });
}

RedisCounters::~RedisCounters() {
  {
    std::lock_guard lock(bell_mutex_);
    stopping_ = true;
  }
  bell_.notify_all();
  mender_.join();
}

void RedisCounters::mend() {
  std::unique_lock lock(bell_mutex_);
  while (!bell_.wait_for(lock, mend_interval, [&] { return stopping_; })) {
    if (!link_.is_away()) continue;
    lock.unlock();
    {
      std::lock_guard use_link(mutex_);
      if (link_.may_try()) (void)static_cast<bool>(link_.connect());
    }
    lock.lock();
  }
}

std::unique_lock<std::mutex> RedisCounters::use() {
  if (link_.is_away()) return {};
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && link_.is_away()) lock.unlock();
  return lock;
}

void RedisCounters::remember(const std::string& key, int64_t value, Duration ends_in) {
  auto known = meanwhile_->read(std::span(&key, 1)).front();
  meanwhile_->add(key, value - (known ? known->value : 0), ends_in);
}

int64_t RedisCounters::add(const std::string& key, int64_t by, Duration ends_in) {
  if (auto lock = use(); lock.owns_lock()) {
    auto reply =
        link_.call(add_script, {{key_of(key)}, {std::to_string(by), std::to_string(ends_in.ms)}});
    if (reply && reply->kind == RedisReply::Kind::integer) {
      remember(key, reply->integer, ends_in);
      return reply->integer;
    }
  }
  return meanwhile_->add(key, by, ends_in);
}

std::vector<std::optional<breaker::Counter>> RedisCounters::read(
    std::span<const std::string> keys) {
  if (auto lock = use(); lock.owns_lock() && !keys.empty()) {
    RedisArguments arguments;
    for (const std::string& key : keys) arguments.keys.push_back(key_of(key));
    auto reply = link_.call(read_script, arguments);
    if (reply && reply->items.size() == keys.size() * 2) {
      Instant now = clock_.now();
      std::vector<std::optional<breaker::Counter>> out(keys.size());
      for (size_t i = 0; i < keys.size(); ++i) {
        const RedisReply& value = reply->items[2 * i];
        int64_t rest_ms = reply->items[2 * i + 1].integer;
        if (value.kind != RedisReply::Kind::text) continue;
        out[i].emplace().value = std::atoll(value.text.c_str());
        if (rest_ms < 0) continue;
        out[i]->ends_at = now + Duration{rest_ms};
        remember(keys[i], out[i]->value, Duration{rest_ms});
      }
      return out;
    }
  }
  return meanwhile_->read(keys);
}

}  // namespace fermata
