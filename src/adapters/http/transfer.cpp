#include "adapters/http/transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <climits>

#include "adapters/http/mail_transfer.h"
#include "adapters/http/response_reader.h"
#include "adapters/http/secret_query.h"
#include "adapters/http/web_transfer.h"

namespace fermata::http {

std::unique_ptr<Transfer> make_transfer(CallTicket ticket, CallRequest request) {
  if (request.mail) return std::make_unique<MailTransfer>(std::move(ticket), std::move(request));
  return std::make_unique<WebTransfer>(std::move(ticket), std::move(request));
}

bool Transfer::fail(std::string error, std::string message) {
  error_ = std::move(error);
  message_ = std::move(message);
  return false;
}

bool Transfer::refuse(std::string error, std::string message) {
  return fail(std::move(error), std::move(message));
}

void Transfer::keep(CallSecrets secrets) {
  request_.credentials = Value();
  secrets_ = std::move(secrets);
  // The longest first: a text that is part of another would leave the rest of it behind.
  std::stable_sort(secrets_.hidden.begin(), secrets_.hidden.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

void Transfer::begin() { began_ = std::chrono::steady_clock::now(); }

int64_t Transfer::elapsed_ms() const {
  if (began_ == std::chrono::steady_clock::time_point{}) return 0;
  const auto elapsed = std::chrono::steady_clock::now() - began_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
}

void Transfer::append(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  check(longer != nullptr);
  list.release();  // NOLINT(bugprone-unused-return-value): it is what `longer` continues
  list.reset(longer);
}

void Transfer::prepare(CURL* target, const NetworkPolicy& policy, curl_slist* resolve) {
  policy_ = &policy;
  if (!request_.allowed_networks.empty()) {
    widened_ = policy;
    for (const std::string& text : request_.allowed_networks)
      if (auto range = parse_cidr(text)) widened_.allowed.push_back(*range);
    policy_ = &widened_;
  }
  refused_ = AddressClass::open;
  sockets_ = 0;
  sendings_ = 0;
  problem_[0] = '\0';
  curl_easy_setopt(target, CURLOPT_PRIVATE, this);
  curl_easy_setopt(target, CURLOPT_ERRORBUFFER, problem_);
  const int64_t left = request_.timeout_ms - elapsed_ms();
  curl_easy_setopt(target, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::clamp<int64_t>(left, 1, INT_MAX)));
  if (request_.ignore_ssl) {
    curl_easy_setopt(target, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(target, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (resolve) curl_easy_setopt(target, CURLOPT_RESOLVE, resolve);
  set_guards(target);
  set_up(target);
}

void Transfer::set_guards(CURL* target) {
  curl_easy_setopt(target, CURLOPT_PROTOCOLS_STR, schemes());
  curl_easy_setopt(target, CURLOPT_REDIR_PROTOCOLS_STR, schemes());
  curl_easy_setopt(target, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(target, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
  curl_easy_setopt(target, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(target, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  curl_easy_setopt(target, CURLOPT_PREREQDATA, this);
  // A proxy named by the environment would connect in our place, past the guard.
  curl_easy_setopt(target, CURLOPT_PROXY, "");
  curl_easy_setopt(target, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(target, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(target, CURLOPT_NOSIGNAL, 1L);
  // A name server that does not answer must not hold up an abandoned call or the end.
  curl_easy_setopt(target, CURLOPT_QUICK_EXIT, 1L);
}

curl_socket_t Transfer::on_open(void* self, curlsocktype purpose, curl_sockaddr* at) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  const AddressClass refused = transfer.policy_->refusal(at->addr);
  if (purpose != CURLSOCKTYPE_IPCXN || refused != AddressClass::open) {
    transfer.refused_ = refused;
    return CURL_SOCKET_BAD;
  }
  ++transfer.sockets_;
  return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
}

/// Called when a connection, new or kept, is about to carry the request.
int Transfer::on_request(void* self, char* remote, char*, int, int) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.refused_ = transfer.policy_->refusal(std::string_view(remote));
  if (transfer.refused_ != AddressClass::open) {
    transfer.sockets_ = 0;
    return CURL_PREREQFUNC_ABORT;
  }
  // The library sends again when a kept connection closes without an answer. The callee may have
  // acted on the first sending, so whether to repeat is for the retry rules of the node to say.
  const bool is_repeat = ++transfer.sendings_ > 1;
  return is_repeat && !transfer.may_repeat() ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::string Transfer::problem(CURLcode code) const {
  return as_utf8(problem_[0] ? problem_ : curl_easy_strerror(code));
}

bool Transfer::explain_common(CURLcode code) {
  if (refused_ != AddressClass::open && sockets_ == 0) {
    fail("address_forbidden",
         "The address is not allowed: " + std::string(name_of(refused_)) + ".");
  } else if (code == CURLE_OPERATION_TIMEDOUT) {
    fail("timeout", "No complete answer within " + std::to_string(request_.timeout_ms) + " ms.");
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    fail("network", "The connection was closed before an answer came.");
  } else {
    return false;
  }
  return true;
}

CallAnswer Transfer::answer() {
  CallAnswer answer;
  answer.ticket = ticket_;
  answer.error = std::move(error_);
  answer.message = std::move(message_);
  answer.duration_ms = elapsed_ms();
  redact(answer.message, secrets_.hidden);
  if (!answer.error.empty()) return answer;
  fill(answer);
  redact(answer.status_text, secrets_.hidden);
  redact(answer.body, secrets_.hidden);
  for (auto& header : answer.headers) redact(header.second, secrets_.hidden);
  return answer;
}

}  // namespace fermata::http
