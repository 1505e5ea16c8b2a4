#include "server/routes/idempotency.h"

#include "base/hash.h"
#include "base/json.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t mark_kept_ms = int64_t{25} * 3600 * 1000;

/// The same for the same request, whatever connection it comes by.
std::string hash_of_request(const Call& call) {
  std::string text = std::string(call.request.method_text) + " " + std::string(call.request.path) +
                     "?" + std::string(call.request.query) + "\n" + to_canonical_json(call.body);
  return sha256_hex(text);
}

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

bool answer_remembered(Api& api, Call& call) {
  if (call.request.header("idempotency-key").empty()) return false;
  std::string hash = hash_of_request(call);
  auto repeated = answer_repeat(
      api, call, [&](const std::string& kept) -> Outcome<bool> { return kept == hash; });
  if (!repeated) api.fail(call, repeated.error());
  if (!repeated || *repeated) return true;
  call.keep = [&api, hash](const Call& asked, http::Response response) {
    if (response.status >= 300) return asked.responder.send(std::move(response));
    // This may be the partition's thread, which must not wait for the disk.
    api.pool().submit_owed([&api, hash, asked, response = std::move(response)]() mutable {
      std::string key(asked.request.header("idempotency-key"));
      IdempotencyMark mark{asked.who.account, key,           hash,
                           response.status,   response.body, api.now() + Duration{mark_kept_ms}};
      // It has happened: an answer that could not be kept is better than none.
      static_cast<void>(api.catalog().put_mark(mark));
      asked.responder.send(std::move(response));
    });
  };
  return false;
}

}  // namespace fermata::server::routes
