#pragma once
#include <functional>
#include <optional>
#include <string>

#include "server/api.h"

namespace fermata::server::routes {

/// Answers a request that came before under the same Idempotency-Key with its first answer;
/// `is_same` judges the hash that was kept of it. False when this one is the first. Fails with
/// idempotency_key_reused when it was another.
Outcome<bool> answer_repeat(Api& api, const Call& call,
                            const std::function<Outcome<bool>(const std::string& kept)>& is_same);

/// What is kept of a first request; nothing when it carried no key.
std::optional<IdempotencyMark> mark_of(Api& api, const Call& call, std::string hash, int status,
                                       const Value& answer);

/// Of a route that remembers (`Route::remembers`): true when the request came before and was
/// answered so. Else its answer, if it succeeds, is kept before it is sent. A server that dies in
/// between has done what was asked and not kept the answer: a repeat is then told what it finds.
bool answer_remembered(Api& api, Call& call);

}  // namespace fermata::server::routes
