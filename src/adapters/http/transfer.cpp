#include "adapters/http/transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <climits>

#include "adapters/http/secret_query.h"
#include "base/hash.h"

namespace fermata::http {
namespace {

bool is_safe(const std::string& method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

bool has_header(const Headers& headers, std::string_view lower_name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return lower_case(header.first) == lower_name; });
}

}  // namespace

bool Transfer::fail(std::string error, std::string message) {
  error_ = std::move(error);
  message_ = std::move(message);
  return false;
}

bool Transfer::refuse(std::string error, std::string message) {
  return fail(std::move(error), std::move(message));
}

bool Transfer::accept() {
  if (!error_.empty()) return false;
  const auto mistake = mistake_in(request_);
  if (mistake) return fail("parameter_invalid", "The request cannot be sent: " + *mistake + ".");
  request_.headers = without_framing(std::move(request_.headers));
  return point_at(request_.url);
}

bool Transfer::point_at(const std::string& address) {
  auto url = parse_url(address);
  if (!url)
    return fail("parameter_invalid", "The request cannot be sent: " + url.error().message + ".");
  url_ = *std::move(url);
  return true;
}

/// `t=<unix s>,v1=<hex>` with one `v1` for each secret (W-73).
void Transfer::sign() {
  if (!request_.signed_at || secrets_.signing.empty()) return;
  std::string t = std::to_string(*request_.signed_at);
  std::string signature = "t=" + t;
  for (const std::string& secret : secrets_.signing) {
    auto digest = hmac_sha256(secret, t + "." + request_.body);
    signature += ",v1=" + hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
  }
  secrets_.signing.clear();
  request_.headers.emplace_back("Fermata-Signature", std::move(signature));
}

bool Transfer::take_secrets(CallSecrets secrets) {
  request_.credentials = Value();
  secrets_ = std::move(secrets);
  // The longest first: a text that is part of another would leave the rest of it behind.
  std::stable_sort(secrets_.hidden.begin(), secrets_.hidden.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (auto& header : std::exchange(secrets_.headers, {})) {
    const std::string name = lower_case(header.first);
    secret_names_.insert(name);
    if (!has_header(request_.headers, name)) request_.headers.push_back(std::move(header));
  }
  sign();
  const auto mistake = mistake_in(request_);
  if (mistake) return fail("parameter_invalid", "The request cannot be sent: " + *mistake + ".");
  return secrets_.query.empty() || point_at(with_query(url_->text, secrets_.query));
}

void Transfer::begin() { began_ = std::chrono::steady_clock::now(); }

int64_t Transfer::elapsed_ms() const {
  if (began_ == std::chrono::steady_clock::time_point{}) return 0;
  const auto elapsed = std::chrono::steady_clock::now() - began_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
}

void Transfer::prepare(CURL* target, const NetworkPolicy& policy, curl_slist* resolve) {
  check(url_.has_value());
  policy_ = &policy;
  refused_ = AddressClass::open;
  sockets_ = 0;
  sendings_ = 0;
  problem_[0] = '\0';
  response_.restart({request_.response_bytes_max, request_.method == "HEAD"});
  headers_ = header_list();

  curl_easy_setopt(target, CURLOPT_PRIVATE, this);
  curl_easy_setopt(target, CURLOPT_URL, url_->text.c_str());
  curl_easy_setopt(target, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(target, CURLOPT_USERAGENT, "Fermata");
  curl_easy_setopt(target, CURLOPT_ERRORBUFFER, problem_);
  curl_easy_setopt(target, CURLOPT_HEADERFUNCTION, &Transfer::on_line);
  curl_easy_setopt(target, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(target, CURLOPT_WRITEFUNCTION, &Transfer::on_piece);
  curl_easy_setopt(target, CURLOPT_WRITEDATA, this);
  // Every encoding the library knows, decoded before the size is counted.
  curl_easy_setopt(target, CURLOPT_ACCEPT_ENCODING, "");
  // HTTP/1.1 has a status line with a text, and one slow answer never holds up another.
  curl_easy_setopt(target, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  const int64_t left = request_.timeout_ms - elapsed_ms();
  curl_easy_setopt(target, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::clamp<int64_t>(left, 1, INT_MAX)));
  if (request_.ignore_ssl) {
    curl_easy_setopt(target, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(target, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (resolve) curl_easy_setopt(target, CURLOPT_RESOLVE, resolve);
  set_method(target);
  set_guards(target);
}

void Transfer::set_method(CURL* target) {
  const std::string& method = request_.method;
  if (method == "HEAD") {
    curl_easy_setopt(target, CURLOPT_NOBODY, 1L);
    return;
  }
  const bool announces_length = method == "POST" || method == "PUT" || method == "PATCH";
  if (!request_.body.empty() || announces_length) {
    // The library reads the body in place: it lives in this transfer.
    curl_easy_setopt(target, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(target, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(target, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void Transfer::set_guards(CURL* target) {
  curl_easy_setopt(target, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(target, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
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

Transfer::HeaderList Transfer::header_list() const {
  HeaderList list;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    check(longer != nullptr);
    list.release();  // NOLINT(bugprone-unused-return-value): it is what `longer` continues
    list.reset(longer);
  };
  // The library wants a semicolon for a header without a value, and a colon to leave one out.
  for (const auto& [name, value] : request_.headers)
    add(value.find_first_not_of(" \t") == std::string::npos ? name + ";" : name + ": " + value);
  add("Expect:");
  if (!has_header(request_.headers, "content-type")) add("Content-Type:");
  return list;
}

size_t Transfer::on_line(char* data, size_t size, size_t count, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.response_.line({data, size * count}) ? size * count : 0;
}

size_t Transfer::on_piece(char* data, size_t size, size_t count, void* self) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.response_.piece({data, size * count}) ? size * count : 0;
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
  return is_repeat && !is_safe(transfer.request_.method) ? CURL_PREREQFUNC_ABORT
                                                         : CURL_PREREQFUNC_OK;
}

bool Transfer::conclude(CURLcode code) {
  if (code != CURLE_OK) {
    explain(code);
    return false;
  }
  const bool may_follow = is_redirect(response_.status()) && hops_ < request_.follow_redirects;
  return may_follow && !response_.location().empty() && follow();
}

bool Transfer::follow() {
  if (elapsed_ms() >= request_.timeout_ms) {
    explain(CURLE_OPERATION_TIMEDOUT);
    return false;
  }
  UrlResult next = resolve_location(*url_, response_.location());
  if (!next && next.error().is_scheme)
    return fail("address_forbidden", "The redirect leads to a scheme that is not http or https.");
  if (!next)
    return fail("network", "The redirect cannot be followed: " + next.error().message + ".");
  const std::string method = method_after(response_.status(), request_.method);
  const RedirectChange change{.leaves_origin = next->origin != url_->origin,
                              .drops_body = method != request_.method};
  next->text = change.leaves_origin ? without_query(next->text, secrets_.query)
                                    : with_query(next->text, secrets_.query);
  if (change.leaves_origin) secrets_.query.clear();
  request_.headers = headers_after(std::move(request_.headers), change, secret_names_);
  request_.method = method;
  if (change.drops_body) request_.body.clear();
  url_ = *next;
  ++hops_;
  return true;
}

void Transfer::explain(CURLcode code) {
  const std::string problem = as_utf8(problem_[0] ? problem_ : curl_easy_strerror(code));
  if (response_.is_too_large()) {
    fail("response_too_large",
         "The response is larger than " + std::to_string(request_.response_bytes_max) + " bytes.");
  } else if (refused_ != AddressClass::open && sockets_ == 0) {
    fail("address_forbidden",
         "The address is not allowed: " + std::string(name_of(refused_)) + ".");
  } else if (code == CURLE_OPERATION_TIMEDOUT) {
    fail("timeout", "No complete answer within " + std::to_string(request_.timeout_ms) + " ms.");
  } else if (code == CURLE_URL_MALFORMAT && hops_ == 0) {
    fail("parameter_invalid", "The request cannot be sent: " + problem + ".");
  } else if (code == CURLE_ABORTED_BY_CALLBACK) {
    fail("network", "The connection was closed before an answer came.");
  } else {
    fail("network", problem);
  }
}

CallAnswer Transfer::answer() {
  CallAnswer answer;
  answer.ticket = ticket_;
  answer.error = std::move(error_);
  answer.message = std::move(message_);
  answer.duration_ms = elapsed_ms();
  redact(answer.message, secrets_.hidden);
  if (!answer.error.empty()) return answer;
  answer.status = response_.status();
  answer.status_text = std::move(response_.status_text);
  answer.headers = std::move(response_.headers);
  answer.body = std::move(response_.body);
  redact(answer.status_text, secrets_.hidden);
  redact(answer.body, secrets_.hidden);
  for (auto& header : answer.headers) redact(header.second, secrets_.hidden);
  return answer;
}

}  // namespace fermata::http
