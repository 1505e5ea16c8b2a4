#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fermata::otlp {

/// What became of one request.
struct Delivered {
  int status = 0;     ///< 0 when there was no answer
  std::string error;  ///< then
  std::string body;   ///< as much of the answer as anyone reads
  std::optional<int64_t> retry_after_ms;

  bool taken() const { return status >= 200 && status < 300; }
  /// The protocol names the statuses that are worth another try; so is no answer at all.
  bool may_repeat() const {
    return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
  }
};

/// A connection to one address, kept between requests. Used by one thread.
class Delivery {
 public:
  Delivery(std::string url, std::vector<std::pair<std::string, std::string>> headers);
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  /// Waits for the answer, at most `timeout_ms`, and no longer once `give_up` is set.
  Delivered post(const std::string& body, int64_t timeout_ms, const std::atomic<bool>& give_up);

 private:
  const std::string url_;
  void* handle_;
  void* headers_ = nullptr;
};

}  // namespace fermata::otlp
