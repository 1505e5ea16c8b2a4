#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/trace_context.h"
#include "base/value.h"

namespace fermata {

/// Names one attempt of one activation: an answer for any other attempt is refused.
struct CallTicket {
  RunId run;
  uint64_t token = 0;
  uint32_t attempt = 0;
  auto operator<=>(const CallTicket&) const = default;
};

/// What a call is in a trace.
struct CallTrace {
  TraceContext context;   ///< its span is the call itself
  std::string parent_id;  ///< the activation that makes it
  std::string node_id;
};

/// What makes a request a mail: who sends it to whom. The server it goes to is the credential's.
struct MailEnvelope {
  std::string from;                     ///< addresses alone, without names
  std::vector<std::string> recipients;  ///< each once
  std::string message_id;               ///< with its angle brackets, the same for every attempt
};

/// An outgoing HTTP request or mail, complete: nothing in it is looked up later except credentials.
struct CallRequest {
  AccountId account;
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  int64_t timeout_ms = 30'000;
  int follow_redirects = 5;
  bool ignore_ssl = false;
  uint64_t response_bytes_max = 4 << 20;
  Value credentials;  ///< {"id"} or {"name"}, or null
  std::optional<CallTrace> trace{};  ///< of a call that is recorded
  /// Seconds since 1970 that a callback is signed for (W-73); none: it is not signed.
  std::optional<int64_t> signed_at{};
  /// Private networks that this request may go to beside those that every one may (W-75), as CIDRs.
  std::vector<std::string> allowed_networks{};
  /// Of a mail: then `body` is the whole message and method, url and headers mean nothing.
  std::optional<MailEnvelope> mail{};
};

/// What came back. `error` is empty when a response was received, whatever its status; else one of
/// network, timeout, address_forbidden, response_too_large, credential_missing, outcome_unknown,
/// parameter_invalid (a request that cannot be sent as it is), smtp_rejected (no mail can be sent
/// this way). A mail's status is the reply that decided: 250 when it was taken.
struct CallAnswer {
  CallTicket ticket;
  std::string error;
  std::string message;
  int status = 0;
  std::string status_text;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
  int64_t duration_ms = 0;
};

}  // namespace fermata
