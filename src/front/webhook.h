#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "core/graph/definition.h"

namespace fermata::front {

/// What a webhook trigger asks of its callers (G-31), defaults filled in.
struct WebhookRules {
  std::string method = "POST";
  std::string auth = "none";  ///< none, header or hmac_sha256
  std::string dedupe_header = "Idempotency-Key";
  bool respond_result = false;
  Value credentials;
};
/// Nothing when the definition does not begin with a webhook.
std::optional<WebhookRules> webhook_rules(const graph::Definition& definition);

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The body as a run sees it: JSON by its content type (400 when it is not), a form as an object,
/// anything else as text, nothing as null.
Outcome<Value> read_webhook_body(std::string_view content_type, std::string_view body,
                                 const NamedTexts& form, int nesting_max);

/// `$input` of a run that a webhook started: {body, headers, query, method}. Headers that carry
/// secrets are left out, because a run's input is kept and shown.
Value webhook_input(Value body, const NamedTexts& headers, const NamedTexts& query,
                    std::string_view method, std::string_view secret_header);

}  // namespace fermata::front
