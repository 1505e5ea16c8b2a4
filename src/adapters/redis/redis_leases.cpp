#include "adapters/redis/redis_leases.h"

#include <charconv>

namespace fermata {

namespace {

/// KEYS: index, fence, lease. ARGV: cluster with colon, holder, milliseconds. The fence is read as
/// text: as a number of Lua it would lose its last digits.
constexpr RedisScript take_script{R"(
local index = redis.call('GET', KEYS[1])
if not index or string.sub(index, 1, #ARGV[1]) ~= ARGV[1] then return 'LOST' end
if redis.call('EXISTS', KEYS[2]) == 0 then return 'LOST' end
if redis.call('EXISTS', KEYS[3]) == 1 then return 'BUSY' end
redis.call('INCR', KEYS[2])
local fence = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[3], fence .. ':' .. ARGV[2], 'PX', ARGV[3])
return fence
)"};

/// KEYS: index, lease. ARGV: cluster with colon, value, milliseconds.
constexpr RedisScript renew_script{R"(
local index = redis.call('GET', KEYS[1])
if not index or string.sub(index, 1, #ARGV[1]) ~= ARGV[1] then return 'LOST' end
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 'GONE' end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return string.match(ARGV[2], '^%d+')
)"};

/// KEYS: lease. ARGV: value.
constexpr RedisScript give_back_script{R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
)"};

/// Names that are not of the documents the keys come from.
constexpr std::string_view own_names[] = {"shard:", "audit:", "mirror", "retention", "worker:"};

LeaseAnswer answer_of(const RedisReply& reply) {
  if (reply.is_text("BUSY")) return {LeaseState::busy};
  if (reply.is_text("GONE")) return {LeaseState::gone};
  if (reply.is_text("LOST")) return {LeaseState::lost};
  LeaseAnswer answer{LeaseState::held};
  const std::string& text = reply.text;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), answer.fence);
  if (failure != std::errc{}) return {LeaseState::unavailable};
  return answer;
}

}  // namespace

RedisLeases::RedisLeases(RedisOptions options, const Clock& clock, std::string holder,
                         std::unique_ptr<Leases> instead)
    : link_(std::move(options)),
      index_(link_, clock),
      holder_(std::move(holder)),
      instead_(std::move(instead)) {}

std::string RedisLeases::key_of(const std::string& name) const {
  for (std::string_view own : own_names)
    if (name.starts_with(own)) return link_.key("fermata:" + name);
  return link_.key("cordum:" + name);
}

std::string RedisLeases::value_of(uint64_t fence) const {
  return std::to_string(fence) + ":" + holder_;
}

std::vector<LeaseAnswer> RedisLeases::ask(const RedisScript& script,
                                          std::span<const RedisArguments> calls) {
  auto replies = link_.call(script, calls);
  if (!replies) {
    if (!away_since_) away_since_ = std::chrono::steady_clock::now();
    return {};
  }
  away_since_.reset();
  std::vector<LeaseAnswer> answers;
  bool lost = false;
  for (const RedisReply& reply : *replies) {
    answers.push_back(answer_of(reply));
    lost = lost || answers.back().state == LeaseState::lost;
  }
  // Whoever asks next finds an index again, and a fence beyond all that were given.
  if (lost) (void)static_cast<bool>(index_.renew());
  return answers;
}

bool RedisLeases::is_patience_over() {
  return instead_ && away_since_ &&
         std::chrono::steady_clock::now() - *away_since_ >= std::chrono::milliseconds(patience.ms);
}

std::vector<LeaseAnswer> RedisLeases::take(std::span<const LeaseWanted> wanted) {
  std::vector<RedisArguments> calls;
  for (const LeaseWanted& one : wanted)
    calls.push_back(
        {{link_.key(RedisIndex::index_name), link_.key(RedisIndex::fence_name), key_of(one.name)},
         {index_.mine(), holder_, std::to_string(one.ttl.ms)}});
  auto answers = ask(take_script, calls);
  if (answers.size() == wanted.size()) return answers;
  if (is_patience_over()) return instead_->take(wanted);
  return std::vector<LeaseAnswer>(wanted.size());
}

std::vector<LeaseAnswer> RedisLeases::renew(std::span<const LeaseHeld> held) {
  std::vector<RedisArguments> calls;
  for (const LeaseHeld& one : held)
    calls.push_back({{link_.key(RedisIndex::index_name), key_of(one.name)},
                     {index_.mine(), value_of(one.fence), std::to_string(one.ttl.ms)}});
  auto answers = ask(renew_script, calls);
  if (answers.size() != held.size()) {
    if (!is_patience_over()) return std::vector<LeaseAnswer>(held.size());
    answers = instead_->renew(held);
  }
  for (size_t i = 0; i < held.size(); ++i)
    if (answers[i].state == LeaseState::gone || answers[i].state == LeaseState::lost)
      count_lost(held[i].name);
  return answers;
}

void RedisLeases::give_back(std::span<const LeaseHeld> held) {
  std::vector<RedisArguments> calls;
  for (const LeaseHeld& one : held) calls.push_back({{key_of(one.name)}, {value_of(one.fence)}});
  (void)static_cast<bool>(link_.call(give_back_script, calls));
  // It may have been taken where Redis was not.
  if (instead_) instead_->give_back(held);
}

void RedisLeases::count_lost(const std::string& name) {
  std::lock_guard lock(mutex_);
  bool known = lost_.contains(name) || lost_.size() < lost_names_max;
  ++lost_[known ? name : "other"];
}

std::map<std::string, uint64_t> RedisLeases::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace fermata
