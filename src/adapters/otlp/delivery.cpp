#include "adapters/otlp/delivery.h"

#include <curl/curl.h>

#include "base/check.h"

namespace fermata::otlp {
namespace {

constexpr size_t answer_bytes_max = 64 << 10;

size_t on_body(char* data, size_t size, size_t count, void* into) noexcept {
  auto& body = *static_cast<std::string*>(into);
  size_t bytes = size * count;
  // What is beyond is read and thrown away, so that the connection can be kept.
  body.append(data, std::min(bytes, answer_bytes_max - std::min(answer_bytes_max, body.size())));
  return bytes;
}

int on_progress(void* give_up, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const std::atomic<bool>*>(give_up)->load() ? 1 : 0;
}

}  // namespace

Delivery::Delivery(std::string url, std::vector<std::pair<std::string, std::string>> headers)
    : url_(std::move(url)) {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  check(ready);
  handle_ = curl_easy_init();
  check(handle_ != nullptr);
  auto* list = curl_slist_append(nullptr, "Content-Type: application/json");
  // Without this libcurl waits for a leave to send that many servers never give.
  list = curl_slist_append(list, "Expect:");
  for (const auto& [name, value] : headers)
    list = curl_slist_append(list, (name + ": " + value).c_str());
  headers_ = list;
}

Delivery::~Delivery() {
  curl_easy_cleanup(handle_);
  curl_slist_free_all(static_cast<curl_slist*>(headers_));
}

Delivered Delivery::post(const std::string& body, int64_t timeout_ms,
                         const std::atomic<bool>& give_up) {
  Delivered delivered;
  CURL* curl = handle_;
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(headers_));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(timeout_ms));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &delivered.body);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(&give_up));
  CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    delivered.error = curl_easy_strerror(code);
    return delivered;
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  delivered.status = static_cast<int>(status);
  curl_off_t seconds = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds > 0) delivered.retry_after_ms = seconds * 1'000;
  return delivered;
}

}  // namespace fermata::otlp
