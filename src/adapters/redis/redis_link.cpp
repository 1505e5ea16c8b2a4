#include "adapters/redis/redis_link.h"

#include <algorithm>

#include "adapters/redis/redis_checks.h"

namespace fermata {

RedisLink::RedisLink(RedisOptions options)
    : options_(std::move(options)),
      jitter_(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
              reinterpret_cast<uintptr_t>(this)) {}

bool RedisLink::may_try() const {
  return connection_.has_value() || std::chrono::steady_clock::now() >= retry_at_;
}

Error RedisLink::failed(Error error) {
  connection_.reset();
  away_ = true;
  ++failures_;
  // Between half and all of it, so that those who lost it together do not come back together.
  auto rest = static_cast<int64_t>(static_cast<double>(backoff_.ms) * (1 + jitter_.fraction()) / 2);
  if (failures_ % failures_to_open == 0) rest = std::max(rest, open_for.ms);
  retry_at_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(rest);
  backoff_ = std::min(Duration{backoff_.ms * 2}, retry_max);
  if (!std::exchange(told_, true) && options_.on_trouble) options_.on_trouble(error.message);
  return error;
}

void RedisLink::succeeded() {
  failures_ = 0;
  backoff_ = retry_first;
  away_ = false;
  if (std::exchange(told_, false) && options_.on_trouble) options_.on_trouble("");
}

Outcome<void> RedisLink::open() {
  if (connection_) return {};
  if (!may_try())
    return fail(ErrorCode::io_failed,
                "Redis at " + options_.address.shown + " is away; it is tried again in a moment");
  auto connection = RedisConnection::open(options_.address, options_.command_timeout);
  if (!connection) return Failure{failed(connection.error())};
  auto findings = look_at_redis(*connection, options_.prefix);
  if (!findings) return Failure{failed(findings.error())};
  for (const RedisFinding& finding : *findings) {
    std::string text = "Redis at " + options_.address.shown + ": " + text_of(finding);
    if (!finding.allowed || !options_.unsafe_allowed)
      return Failure{failed({ErrorCode::invalid_setting, std::move(text), {}})};
    if (options_.on_warning) options_.on_warning(text);
  }
  connection_.emplace(*std::move(connection));
  return {};
}

Outcome<void> RedisLink::connect() {
  FERMATA_TRY_VOID(open());
  succeeded();
  return {};
}

Outcome<std::vector<RedisReply>> RedisLink::send(std::span<const RedisCommand> commands) {
  FERMATA_TRY_VOID(open());
  auto replies = connection_->run(commands);
  if (!replies) return Failure{failed(replies.error())};
  // A primary that has become a replica refuses writes from now on: look for the new one.
  for (const RedisReply& reply : *replies)
    if (reply.is_error() &&
        (reply.text.starts_with("READONLY") || reply.text.starts_with("LOADING") ||
         reply.text.starts_with("MISCONF")))
      return Failure{failed(
          {ErrorCode::io_failed, "Redis at " + options_.address.shown + ": " + reply.text, {}})};
  succeeded();
  return replies;
}

Outcome<std::vector<RedisReply>> RedisLink::run(std::span<const RedisCommand> commands) {
  return send(commands);
}

Outcome<RedisReply> RedisLink::run(const RedisCommand& command) {
  FERMATA_TRY(replies, send(std::span(&command, 1)));
  return std::move(replies.front());
}

Outcome<std::vector<RedisReply>> RedisLink::call(const RedisScript& script,
                                                 std::span<const RedisArguments> calls) {
  if (calls.empty()) return std::vector<RedisReply>();
  std::string& hash = loaded_[script.text.data()];
  const RedisCommand load = {"SCRIPT", "LOAD", std::string(script.text)};
  if (hash.empty()) {
    FERMATA_TRY(loaded, run(load));
    if (loaded.is_error())
      return Failure{failed({ErrorCode::io_failed, "Redis takes no script: " + loaded.text, {}})};
    hash = loaded.text;
  }
  std::vector<RedisCommand> commands;
  commands.reserve(calls.size() + 1);
  for (const RedisArguments& one : calls) {
    RedisCommand& command = commands.emplace_back();
    command = {"EVALSHA", hash, std::to_string(one.keys.size())};
    command.insert(command.end(), one.keys.begin(), one.keys.end());
    command.insert(command.end(), one.values.begin(), one.values.end());
  }
  FERMATA_TRY(replies, send(commands));
  auto forgotten = [](const RedisReply& reply) {
    return reply.is_error() && reply.text.starts_with("NOSCRIPT");
  };
  // Redis forgets scripts when it starts anew. It is told again only when it knew none of them, so
  // that nothing is done twice.
  if (std::all_of(replies.begin(), replies.end(), forgotten)) {
    commands.insert(commands.begin(), load);
    FERMATA_TRY(again, send(commands));
    again.erase(again.begin());
    replies = std::move(again);
  }
  for (const RedisReply& reply : replies)
    if (reply.is_error())
      return Failure{failed(
          {ErrorCode::io_failed, "Redis at " + options_.address.shown + ": " + reply.text, {}})};
  return replies;
}

Outcome<RedisReply> RedisLink::call(const RedisScript& script, const RedisArguments& arguments) {
  FERMATA_TRY(replies, call(script, std::span(&arguments, 1)));
  return std::move(replies.front());
}

}  // namespace fermata
