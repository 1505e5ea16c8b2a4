#include "adapters/redis/redis_wire.h"

namespace fermata {

namespace {

constexpr std::string_view processed = "cordum:bus:processed:";
constexpr std::string_view under_way = "cordum:bus:inflight:";

std::string seconds_of(Duration life) {
  return std::to_string(std::max<int64_t>(life.ms / 1'000, 1));
}

}  // namespace

Outcome<std::unique_ptr<RedisWire>> RedisWire::open(RedisOptions options) {
  std::unique_ptr<RedisWire> made(new RedisWire(std::move(options)));
  FERMATA_TRY_VOID(made->link_.connect());
  return made;
}

Outcome<void> RedisWire::put_body(const std::string& key, const std::string& bytes, Duration life) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(reply, link_.run({"SET", link_.key(key), bytes, "EX", seconds_of(life)}));
  if (reply.is_error()) return fail(ErrorCode::io_failed, "Redis: " + reply.text);
  return {};
}

Outcome<std::optional<std::string>> RedisWire::body(const std::string& key) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(reply, link_.run({"GET", link_.key(key)}));
  if (reply.is_error()) return fail(ErrorCode::io_failed, "Redis: " + reply.text);
  if (reply.kind != RedisReply::Kind::text) return std::optional<std::string>{};
  return std::optional<std::string>(std::move(reply.text));
}

bool RedisWire::was_done(const GuardedPlace& place) {
  std::lock_guard lock(mutex_);
  // While Redis is away nobody waits for it: the store knows.
  if (!link_.may_try()) return false;
  RedisCommand commands[] = {{"GET", link_.key(std::string(processed) + place.name)},
                             {"SET", link_.key(std::string(under_way) + place.name), "1", "EX",
                              seconds_of(under_way_life)}};
  auto replies = link_.run(commands);
  return replies && replies->front().kind == RedisReply::Kind::text &&
         replies->front().text == place.print;
}

void RedisWire::done(const GuardedPlace& place) {
  std::lock_guard lock(mutex_);
  if (!link_.may_try()) return;
  RedisCommand commands[] = {{"SET", link_.key(std::string(processed) + place.name), place.print,
                              "EX", seconds_of(processed_life)},
                             {"DEL", link_.key(std::string(under_way) + place.name)}};
  (void)link_.run(commands);
}

}  // namespace fermata
