#include "adapters/redis/redis_connection.h"

#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <csignal>

namespace fermata {

namespace {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

RedisReply copied(const redisReply& reply) {
  RedisReply out;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      out.kind = RedisReply::Kind::text;
      out.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ERROR:
      out.kind = RedisReply::Kind::error;
      out.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      out.kind = RedisReply::Kind::integer;
      out.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      out.kind = RedisReply::Kind::list;
      out.items.reserve(reply.elements);
      for (size_t i = 0; i < reply.elements; ++i) out.items.push_back(copied(*reply.element[i]));
      break;
    default: break;
  }
  return out;
}

timeval time_of(Duration duration) {
  return {duration.ms / 1'000, static_cast<suseconds_t>(duration.ms % 1'000 * 1'000)};
}

/// The library writes to sockets whose other end may be gone, and would end the process.
void ignore_broken_pipes() {
  static const bool done = [] {
    struct sigaction present{};
    if (sigaction(SIGPIPE, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
      std::signal(SIGPIPE, SIG_IGN);
    return true;
  }();
  (void)done;
}

std::string text_of(const RedisAddress::Place& place) {
  return place.first + ":" + std::to_string(place.second);
}

}  // namespace

void RedisConnection::Close::operator()(redisContext* context) const { redisFree(context); }

RedisConnection::RedisConnection(Context context, std::string place)
    : context_(std::move(context)), place_(std::move(place)) {}
RedisConnection::RedisConnection(RedisConnection&&) noexcept = default;
RedisConnection& RedisConnection::operator=(RedisConnection&&) noexcept = default;
RedisConnection::~RedisConnection() = default;

Outcome<RedisConnection> RedisConnection::dial(const RedisAddress::Place& place, Duration timeout) {
  ignore_broken_pipes();
  std::string shown = text_of(place);
  Context context(redisConnectWithTimeout(place.first.c_str(), place.second, time_of(timeout)));
  if (!context) return fail(ErrorCode::io_failed, "Redis at " + shown + ": no memory");
  if (context->err != 0)
    return fail(ErrorCode::io_failed, "Redis at " + shown + ": " + context->errstr);
  if (redisSetTimeout(context.get(), time_of(timeout)) != REDIS_OK)
    return fail(ErrorCode::io_failed, "Redis at " + shown + ": no time limit can be set");
  return RedisConnection(std::move(context), std::move(shown));
}

Outcome<void> RedisConnection::introduce(const RedisAddress& address) {
  std::vector<RedisCommand> commands;
  if (!address.password.empty()) {
    commands.push_back({"AUTH"});
    if (!address.user.empty()) commands.back().push_back(address.user);
    commands.back().push_back(address.password);
  }
  if (address.database != 0) commands.push_back({"SELECT", std::to_string(address.database)});
  commands.push_back({"PING"});
  FERMATA_TRY(replies, run(commands));
  for (const RedisReply& reply : replies)
    if (reply.is_error())
      return fail(ErrorCode::io_failed, "Redis at " + place_ + " refuses us: " + reply.text);
  return {};
}

Outcome<RedisConnection> RedisConnection::open(const RedisAddress& address, Duration timeout) {
  Error last{ErrorCode::io_failed, "Redis at " + address.shown + ": no place is known", {}};
  for (const RedisAddress::Place& place : address.places) {
    auto connection = dial(place, timeout);
    if (connection && !address.master.empty()) {
      auto asked = connection->run({"SENTINEL", "get-master-addr-by-name", address.master});
      if (!asked || asked->items.size() != 2) {
        last.message = "The sentinel at " + text_of(place) + " does not know `" + address.master +
                       "`" + (asked ? "" : ": " + asked.error().message);
        continue;
      }
      connection = dial({asked->items[0].text, std::atoi(asked->items[1].text.c_str())}, timeout);
    }
    if (connection) {
      if (auto known = connection->introduce(address); known)
        return connection;
      else
        last = known.error();
      continue;
    }
    last = connection.error();
  }
  return Failure{last};
}

Outcome<std::vector<RedisReply>> RedisConnection::run(std::span<const RedisCommand> commands) {
  for (const RedisCommand& command : commands) {
    std::vector<const char*> words;
    std::vector<size_t> lengths;
    for (const std::string& word : command) {
      words.push_back(word.data());
      lengths.push_back(word.size());
    }
    redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), words.data(),
                           lengths.data());
  }
  std::vector<RedisReply> replies;
  replies.reserve(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK)
      return fail(ErrorCode::io_failed, "Redis at " + place_ + ": " + context_->errstr);
    std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(raw));
    replies.push_back(copied(*reply));
  }
  return replies;
}

Outcome<RedisReply> RedisConnection::run(const RedisCommand& command) {
  FERMATA_TRY(replies, run(std::span(&command, 1)));
  return std::move(replies.front());
}

}  // namespace fermata
