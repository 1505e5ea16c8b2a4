#include "adapters/redis/timer_keys.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/uuid.h"

namespace fermata {

namespace {

/// KEYS: timers, processing, payloads. ARGV: kind, member, due time and payload of each.
constexpr RedisScript change_script{R"(
for i = 1, #ARGV, 4 do
  local kind, id = ARGV[i], ARGV[i + 1]
  redis.call('ZREM', KEYS[2], id)
  if kind == 'arm' then
    redis.call('HSET', KEYS[3], id, ARGV[i + 3])
    redis.call('ZADD', KEYS[1], ARGV[i + 2], id)
  else
    if kind == 'drop' then redis.call('ZREM', KEYS[1], id) end
    if not redis.call('ZSCORE', KEYS[1], id) then redis.call('HDEL', KEYS[3], id) end
  end
end
return 'OK'
)"};

/// KEYS: index, timers, processing, payloads. ARGV: index that is known, now, most, end of the
/// lease. Nothing is ever only removed: what is claimed stands in `processing` until it is
/// acknowledged.
constexpr RedisScript claim_script{R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'LOST' end
local ended = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ended) do
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZADD', KEYS[2], 'NX', ARGV[2], id)
end
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
local out = {false}
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZADD', KEYS[3], ARGV[4], id)
  out[#out + 1] = id
  out[#out + 1] = redis.call('HGET', KEYS[4], id)
end
local next = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if next[2] then out[1] = next[2] end
return out
)"};

constexpr std::string_view name_of(TimerChange::Kind kind) {
  switch (kind) {
    case TimerChange::Kind::arm: return "arm";
    case TimerChange::Kind::ack: return "ack";
    case TimerChange::Kind::drop: return "drop";
  }
  return "";
}

/// Scores are numbers of double precision: far beyond any calendar they are cut, not turned round.
Instant instant_of(const std::string& score) {
  double value = std::strtod(score.c_str(), nullptr);
  constexpr double edge = 9.2e18;
  if (!(value > -edge)) return {INT64_MIN};
  return {value < edge ? static_cast<int64_t>(value) : INT64_MAX};
}

ClaimedTimer read_claimed(const RedisReply& member, const RedisReply& payload) {
  ClaimedTimer timer{member.text};
  if (payload.kind != RedisReply::Kind::text) return timer;
  auto read = parse_json(payload.text);
  if (!read || !read->is_object()) return timer;
  const Value* run = read->find("execution_id");
  if (!run || !run->is_string()) return timer;
  timer.run = RunId(std::string(run->as_string()));
  if (const Value* lane = read->find("lane"); lane && lane->is_integer())
    timer.lane = static_cast<TimerLane>(lane->as_integer());
  if (const Value* due = read->find("resume_at"); due && due->is_integer())
    timer.due = Instant{due->as_integer()};
  return timer;
}

}  // namespace

std::string member_of(const RunId& run) { return uuid_v5("timer of run " + run.text()); }

std::string slim_payload(const RunId& run, Instant due, TimerLane lane, const std::string& member,
                         const Value& details) {
  Value message = details.is_object() ? details : Value::object();
  message.set("execution_id", run.text());
  message.set("resume_at", due.ms);
  message.set("timer_id", member);
  message.set("lane", static_cast<int64_t>(lane));
  message.set("is_worker_initiated", true);
  return to_json(message);
}

TimerKeys::TimerKeys(RedisLink& link, RedisIndex& index)
    : link_(link),
      index_(index),
      timers_(link.key("scheduler:timers")),
      processing_(link.key("scheduler:processing")),
      payloads_(link.key("scheduler:payloads")) {}

Outcome<void> TimerKeys::make(std::span<const TimerChange> changes) {
  std::vector<RedisArguments> calls;
  while (!changes.empty()) {
    auto part = changes.first(std::min(changes.size(), script_members_max));
    changes = changes.subspan(part.size());
    RedisArguments& call = calls.emplace_back();
    call.keys = {timers_, processing_, payloads_};
    for (const TimerChange& change : part) {
      call.values.emplace_back(name_of(change.kind));
      call.values.push_back(change.member);
      call.values.push_back(std::to_string(change.due.ms));
      call.values.push_back(change.payload);
    }
  }
  FERMATA_TRY_VOID(link_.call(change_script, calls));
  return {};
}

Outcome<ClaimedTimers> TimerKeys::claim(Instant now, Duration lease) {
  int64_t until = now.ms > INT64_MAX - lease.ms ? INT64_MAX : now.ms + lease.ms;
  FERMATA_TRY(reply,
              link_.call(claim_script,
                         {{link_.key(RedisIndex::index_name), timers_, processing_, payloads_},
                          {index_.known(), std::to_string(now.ms), std::to_string(claim_max),
                           std::to_string(until)}}));
  ClaimedTimers claimed;
  claimed.lost = reply.is_text("LOST");
  if (reply.items.empty()) return claimed;
  if (reply.items[0].kind == RedisReply::Kind::text) claimed.next = instant_of(reply.items[0].text);
  for (size_t i = 1; i + 1 < reply.items.size(); i += 2)
    claimed.timers.push_back(read_claimed(reply.items[i], reply.items[i + 1]));
  return claimed;
}

}  // namespace fermata
