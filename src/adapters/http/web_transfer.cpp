#include "adapters/http/web_transfer.h"

#include <algorithm>

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

bool WebTransfer::accept() {
  if (has_failed()) return false;
  const auto mistake = mistake_in(request_);
  if (mistake) return fail("parameter_invalid", "The request cannot be sent: " + *mistake + ".");
  request_.headers = without_framing(std::move(request_.headers));
  return point_at(request_.url);
}

bool WebTransfer::point_at(const std::string& address) {
  auto url = parse_url(address);
  if (!url)
    return fail("parameter_invalid", "The request cannot be sent: " + url.error().message + ".");
  url_ = *std::move(url);
  return true;
}

/// `t=<unix s>,v1=<hex>` with one `v1` for each secret (W-73).
void WebTransfer::sign() {
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

bool WebTransfer::take_secrets(CallSecrets secrets) {
  if (secrets.mail_server)
    return fail("credential_missing",
                "The credential is of type smtp, which an http node cannot use.");
  keep(std::move(secrets));
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

void WebTransfer::set_up(CURL* target) {
  check(url_.has_value());
  response_.restart({request_.response_bytes_max, request_.method == "HEAD"});
  headers_ = header_list();
  curl_easy_setopt(target, CURLOPT_URL, url_->text.c_str());
  curl_easy_setopt(target, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(target, CURLOPT_USERAGENT, "Fermata");
  curl_easy_setopt(target, CURLOPT_HEADERFUNCTION, &WebTransfer::on_line);
  curl_easy_setopt(target, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(target, CURLOPT_WRITEFUNCTION, &WebTransfer::on_piece);
  curl_easy_setopt(target, CURLOPT_WRITEDATA, this);
  // Every encoding the library knows, decoded before the size is counted.
  curl_easy_setopt(target, CURLOPT_ACCEPT_ENCODING, "");
  // HTTP/1.1 has a status line with a text, and one slow answer never holds up another.
  curl_easy_setopt(target, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set_method(target);
}

bool WebTransfer::may_repeat() const { return is_safe(request_.method); }

void WebTransfer::set_method(CURL* target) {
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

Transfer::List WebTransfer::header_list() const {
  List list;
  // The library wants a semicolon for a header without a value, and a colon to leave one out.
  for (const auto& [name, value] : request_.headers)
    append(list,
           value.find_first_not_of(" \t") == std::string::npos ? name + ";" : name + ": " + value);
  append(list, "Expect:");
  if (!has_header(request_.headers, "content-type")) append(list, "Content-Type:");
  return list;
}

size_t WebTransfer::on_line(char* data, size_t size, size_t count, void* self) noexcept {
  auto& transfer = *static_cast<WebTransfer*>(self);
  return transfer.response_.line({data, size * count}) ? size * count : 0;
}

size_t WebTransfer::on_piece(char* data, size_t size, size_t count, void* self) noexcept {
  auto& transfer = *static_cast<WebTransfer*>(self);
  return transfer.response_.piece({data, size * count}) ? size * count : 0;
}

bool WebTransfer::conclude(CURLcode code) {
  if (code != CURLE_OK) {
    explain(code);
    return false;
  }
  const bool may_follow = is_redirect(response_.status()) && hops_ < request_.follow_redirects;
  return may_follow && !response_.location().empty() && follow();
}

bool WebTransfer::follow() {
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

void WebTransfer::explain(CURLcode code) {
  if (response_.is_too_large()) {
    fail("response_too_large",
         "The response is larger than " + std::to_string(request_.response_bytes_max) + " bytes.");
  } else if (explain_common(code)) {
    return;
  } else if (code == CURLE_URL_MALFORMAT && hops_ == 0) {
    fail("parameter_invalid", "The request cannot be sent: " + problem(code) + ".");
  } else {
    fail("network", problem(code));
  }
}

void WebTransfer::fill(CallAnswer& answer) {
  answer.status = response_.status();
  answer.status_text = std::move(response_.status_text);
  answer.headers = std::move(response_.headers);
  answer.body = std::move(response_.body);
}

}  // namespace fermata::http
