#include "server/routes/idempotency.h"

#include "base/json.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t mark_kept_ms = int64_t{25} * 3600 * 1000;

}  // namespace

Outcome<bool> answer_repeat(Api& api, const Call& call,
                            const std::function<Outcome<bool>(const std::string&)>& is_same) {
  std::string key(call.request.header("idempotency-key"));
  if (key.empty()) return false;
  FERMATA_TRY(mark, api.catalog().mark(call.who.account, key, api.now()));
  if (!mark) return false;
  FERMATA_TRY(same, is_same(mark->body_hash));
  if (!same)
    return fail(ErrorCode::idempotency_key_reused,
                "This Idempotency-Key came with another request before.");
  http::Response response;
  response.status = mark->status;
  response.body = mark->answer;
  response.headers.emplace_back("Idempotent-Replay", "true");
  call.send(std::move(response));
  return true;
}

std::optional<IdempotencyMark> mark_of(Api& api, const Call& call, std::string hash, int status,
                                       const Value& answer) {
  std::string key(call.request.header("idempotency-key"));
  if (key.empty()) return std::nullopt;
  return IdempotencyMark{call.who.account, key,
                         std::move(hash),  status,
                         to_json(answer),  api.now() + Duration{mark_kept_ms}};
}

}  // namespace fermata::server::routes
