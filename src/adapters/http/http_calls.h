#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/network_policy.h"
#include "ports/call_secrets.h"
#include "ports/calls.h"

namespace fermata {

struct HttpCallsOptions {
  NetworkPolicy policy;
  size_t in_flight_per_account_max = 256;  ///< further calls of the account queue, oldest first
  size_t in_flight_max = 1'024;            ///< accounts take turns
  size_t mails_per_account_max = 16;       ///< likewise
  size_t mails_max = 64;                   ///< each takes a thread while it is under way
  size_t held_max = 100'000;               ///< queued, under way or unharvested; more are refused
  /// Called on a thread of the adapter after answers came, without a lock; must not block.
  std::function<void()> on_answer;
  /// Called on a thread of the adapter when a request with credentials leaves the queue, so that
  /// what changed meanwhile counts. Headers written in the request win (G-38). Without it such
  /// requests fail with `credential_missing`.
  FindSecrets find_secrets;
  /// Names with fixed addresses, each `name:port:address`; the policy applies to them too.
  std::vector<std::string> resolve;
};

/// The Calls port over HTTP/1.1 by libcurl, on one thread of its own (G-33, G-40), and over SMTP
/// on a thread for each mail under way (G-37). Every method
/// may be called from any thread, though never during destruction, which drops what is queued or
/// under way without waiting for it. A ticket that is held already is not submitted again; it is
/// held until its answer is harvested or it is abandoned, so no answer is lost in between.
///
/// The timeout runs from when a call leaves the queue and covers all redirects. A request is sent
/// once: only GET, HEAD and OPTIONS are repeated when a kept connection turns out to be closed.
/// Failures are answers: network, timeout, address_forbidden, response_too_large,
/// credential_missing, credential_unreadable, and parameter_invalid for what cannot be written as a
/// request. Messages never hold addresses that were refused, header values or the URL. A credential
/// is sent to the origin of the request alone, and an answer that repeats it has `***` instead. A
/// mail that its server refused is answered with the code and text of that reply.
class HttpCalls : public Calls {
 public:
  explicit HttpCalls(HttpCallsOptions options);
  ~HttpCalls() override;
  HttpCalls(const HttpCalls&) = delete;
  HttpCalls& operator=(const HttpCalls&) = delete;

  void submit(const CallTicket& ticket, CallRequest request) override;
  void abandon(const CallTicket& ticket) override;
  std::vector<CallAnswer> harvest() override;
  bool holds(const CallTicket& ticket) const override;
  size_t in_flight() const override;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace fermata
