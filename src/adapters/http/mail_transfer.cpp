#include "adapters/http/mail_transfer.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "adapters/http/response_reader.h"

namespace fermata::http {
namespace {

constexpr std::string_view port_of_tls = "465";
constexpr size_t reply_text_bytes_max = 1'000;
constexpr int64_t farewell_ms_max = 1'000;
constexpr int farewell = 221;

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Empty when the host or the port is none.
std::string url_of(const MailServer& server) {
  const bool is_tls = server.port == port_of_tls && !server.plain;
  const bool is_v6 = server.host.find(':') != std::string::npos && !server.host.starts_with('[');
  const std::string host = is_v6 ? "[" + server.host + "]" : server.host;
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  check(url != nullptr);
  if (has_control_character(host) || host.find_first_of("/@? #\\%") != std::string::npos) return {};
  if (curl_url_set(url.get(), CURLUPART_SCHEME, is_tls ? "smtps" : "smtp", 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_HOST, host.c_str(), 0) != CURLUE_OK ||
      curl_url_set(url.get(), CURLUPART_PORT, server.port.c_str(), 0) != CURLUE_OK)
    return {};
  char* text = nullptr;
  if (curl_url_get(url.get(), CURLUPART_URL, &text, 0) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

}  // namespace

bool MailTransfer::accept() {
  if (has_failed()) return false;
  if (request_.credentials.is_null())
    return fail("credential_missing", "A mail needs a credential of type smtp: its server.");
  // Whoever makes mails sees to it already; here it would become a command of the protocol.
  bool is_clean = !has_control_character(request_.mail->from);
  for (const std::string& address : request_.mail->recipients)
    is_clean = is_clean && !has_control_character(address);
  if (!is_clean || request_.mail->recipients.empty())
    return fail("parameter_invalid",
                "The mail cannot be sent: it has no recipient, or an address with a line break.");
  return true;
}

bool MailTransfer::take_secrets(CallSecrets secrets) {
  if (!secrets.mail_server)
    return fail("credential_missing", "The credential is not of type smtp: it names no server.");
  keep(std::move(secrets));
  url_ = url_of(*secrets_.mail_server);
  if (url_.empty())
    return fail("parameter_invalid",
                "The mail cannot be sent: the credential's host and port are no address.");
  return true;
}

void MailTransfer::set_up(CURL* target) {
  check(secrets_.mail_server.has_value());
  const MailServer& server = *secrets_.mail_server;
  recipients_.reset();
  for (const std::string& address : request_.mail->recipients)
    append(recipients_, "<" + address + ">");
  sent_ = 0;
  reply_ = 0;
  reply_text_.clear();
  is_taken_ = false;
  judged_ms_.reset();
  curl_easy_setopt(target, CURLOPT_URL, url_.c_str());
  const std::string from = "<" + request_.mail->from + ">";
  curl_easy_setopt(target, CURLOPT_MAIL_FROM, from.c_str());  // copied
  curl_easy_setopt(target, CURLOPT_MAIL_RCPT, recipients_.get());
  if (!server.username.empty()) {
    curl_easy_setopt(target, CURLOPT_USERNAME, server.username.c_str());
    curl_easy_setopt(target, CURLOPT_PASSWORD, server.password.c_str());
  }
  curl_easy_setopt(target, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(target, CURLOPT_READFUNCTION, &MailTransfer::on_read);
  curl_easy_setopt(target, CURLOPT_READDATA, this);
  curl_easy_setopt(target, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  curl_easy_setopt(target, CURLOPT_HEADERFUNCTION, &MailTransfer::on_reply);
  curl_easy_setopt(target, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(target, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(target, CURLOPT_XFERINFOFUNCTION, &MailTransfer::on_progress);
  curl_easy_setopt(target, CURLOPT_XFERINFODATA, this);
  curl_easy_setopt(target, CURLOPT_FORBID_REUSE, 1L);
  set_security(target);
}

void MailTransfer::set_security(CURL* target) const {
  const MailServer& server = *secrets_.mail_server;
  const curl_usessl tls = server.plain              ? CURLUSESSL_NONE
                          : server.username.empty() ? CURLUSESSL_TRY
                                                    : CURLUSESSL_ALL;
  curl_easy_setopt(target, CURLOPT_USE_SSL, static_cast<long>(tls));
}

size_t MailTransfer::on_reply(char* data, size_t size, size_t count, void* self) noexcept {
  static_cast<MailTransfer*>(self)->take_reply({data, size * count});
  return size * count;
}

/// `250-SIZE 1000` and so on, `250 OK` at the end.
void MailTransfer::take_reply(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (line.size() < 3 || !std::all_of(line.begin(), line.begin() + 3, is_digit)) return;
  const int code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  // The farewell comes after the word that counts.
  if (code == farewell) return;
  reply_ = code;
  if (sent_ == request_.body.size() && !judged_ms_) judged_ms_ = elapsed_ms();
  const std::string_view text = line.substr(std::min<size_t>(4, line.size()));
  reply_text_ = as_utf8(text.substr(0, reply_text_bytes_max));
}

size_t MailTransfer::on_read(char* data, size_t size, size_t count, void* self) noexcept {
  auto& transfer = *static_cast<MailTransfer*>(self);
  const std::string& body = transfer.request_.body;
  const size_t piece = std::min(size * count, body.size() - transfer.sent_);
  std::memcpy(data, body.data() + transfer.sent_, piece);
  transfer.sent_ += piece;
  return piece;
}

/// Saying good-bye is polite and needs no patience: the library's own would be two minutes.
int MailTransfer::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  const auto& transfer = *static_cast<MailTransfer*>(self);
  const int64_t over_ms = transfer.judged_ms_.value_or(transfer.request_.timeout_ms);
  const bool lingers = transfer.elapsed_ms() - over_ms > farewell_ms_max;
  return transfer.is_broken_off_ || lingers ? 1 : 0;
}

bool MailTransfer::conclude(CURLcode code) {
  is_taken_ = code == CURLE_OK;
  if (!is_taken_) explain(code);
  return false;
}

void MailTransfer::explain(CURLcode code) {
  if (explain_common(code)) return;
  // The server has said no; what it means is for the node to say.
  if (reply_ >= 400) return;
  if (code == CURLE_USE_SSL_FAILED) {
    fail("smtp_rejected",
         "The mail server offers no encryption, and a login is sent over no other connection; a "
         "credential with \"security\": \"plain\" would allow it.");
  } else if (code == CURLE_LOGIN_DENIED) {
    fail("smtp_rejected", "The mail server offers no way to log in that is known here.");
  } else {
    fail("network", problem(code));
  }
}

void MailTransfer::fill(CallAnswer& answer) {
  answer.status = is_taken_ ? 250 : reply_;
  answer.status_text = is_taken_ ? "OK" : reply_text_;
}

}  // namespace fermata::http
