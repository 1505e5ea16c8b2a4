#include "adapters/otlp/otlp_telemetry.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "adapters/otlp/delivery.h"
#include "adapters/otlp/otlp_json.h"

namespace fermata {

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view traces_path = "/v1/traces";

}  // namespace

class OtlpTelemetry::Exporter {
 public:
  explicit Exporter(OtlpOptions options)
      : options_(std::move(options)),
        delivery_(options_.url, options_.headers),
        thread_([this] { work(); }) {}

  ~Exporter() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      end_by_ = SteadyClock::now() + milliseconds(options_.flush_ms);
    }
    changed_.notify_all();
    // A request under way is cut off when the time is over, not when it likes to end.
    std::unique_lock lock(mutex_);
    ended_.wait_until(lock, end_by_, [&] { return done_; });
    give_up_ = true;
    lock.unlock();
    changed_.notify_all();
    thread_.join();
  }

  void record(Make make, size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_ || queue_.size() >= options_.queue_max ||
          queue_bytes_ + bytes > options_.queue_bytes_max) {
        ++dropped_;
        return;
      }
      queue_.push_back({std::move(make), bytes});
      queue_bytes_ += bytes;
      if (queue_.size() != 1 && queue_.size() != options_.batch_spans_max) return;
    }
    changed_.notify_one();
  }

  Counts counts() const {
    std::lock_guard lock(mutex_);
    return {exported_, dropped_, failures_, queue_.size()};
  }

 private:
  struct Waiting {
    Make make;
    size_t bytes = 0;
  };

  void work() {
    while (auto makers = next_makers()) {
      std::vector<Span> spans;
      for (Waiting& waiting : *makers)
        for (Span& span : waiting.make()) spans.push_back(std::move(span));
      makers.reset();
      size_t most = options_.batch_spans_max;
      for (size_t from = 0; from < spans.size(); from += most)
        deliver(std::span(spans).subspan(from, std::min(most, spans.size() - from)));
    }
    std::lock_guard lock(mutex_);
    dropped_ += queue_.size();
    queue_.clear();
    done_ = true;
    ended_.notify_all();
  }

  /// Waits until there is a batch, or something has waited long enough for one; nothing at the end.
  std::optional<std::deque<Waiting>> next_makers() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    changed_.wait_for(lock, milliseconds(options_.interval_ms),
                      [&] { return stopping_ || queue_.size() >= options_.batch_spans_max; });
    if (queue_.empty() || give_up_) return std::nullopt;
    std::deque<Waiting> taken;
    while (!queue_.empty() && taken.size() < options_.batch_spans_max) {
      queue_bytes_ -= queue_.front().bytes;
      taken.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return taken;
  }

  void deliver(std::span<const Span> spans) {
    if (give_up_) return drop(spans.size());
    std::string body =
        otlp::export_request({options_.service_version, options_.instance_id}, spans);
    for (int tries = 1;; ++tries) {
      otlp::Delivered delivered = delivery_.post(body, options_.timeout_ms, give_up_);
      if (delivered.taken()) return taken(spans.size(), otlp::rejected_spans(delivered.body));
      failed(delivered);
      bool again = delivered.may_repeat() && tries < options_.tries_max;
      if (!again || !pause(delay_ms(delivered, tries))) return drop(spans.size());
    }
  }

  int64_t delay_ms(const otlp::Delivered& delivered, int tries) const {
    int64_t doubled = options_.retry_ms << std::min(tries - 1, 20);
    return std::min(delivered.retry_after_ms.value_or(doubled), options_.retry_ms_max);
  }

  /// False when there is no time left for another try.
  bool pause(int64_t ms) {
    std::unique_lock lock(mutex_);
    auto until = SteadyClock::now() + milliseconds(ms);
    changed_.wait_until(lock, until, [&] { return give_up_ || (stopping_ && end_by_ < until); });
    return !give_up_ && !(stopping_ && end_by_ < until);
  }

  void taken(size_t spans, uint64_t rejected) {
    {
      std::lock_guard lock(mutex_);
      uint64_t refused = std::min<uint64_t>(rejected, spans);
      exported_ += spans - refused;
      dropped_ += refused;
    }
    if (std::exchange(in_trouble_, false) && options_.on_trouble) options_.on_trouble("");
  }

  void drop(size_t spans) {
    std::lock_guard lock(mutex_);
    dropped_ += spans;
  }

  void failed(const otlp::Delivered& delivered) {
    {
      std::lock_guard lock(mutex_);
      ++failures_;
    }
    if (std::exchange(in_trouble_, true) || !options_.on_trouble) return;
    options_.on_trouble(delivered.status == 0
                            ? delivered.error
                            : "the collector answered " + std::to_string(delivered.status));
  }

  const OtlpOptions options_;
  otlp::Delivery delivery_;  ///< of the thread, as is:
  bool in_trouble_ = false;

  mutable std::mutex mutex_;  ///< guards down to the next blank line
  std::condition_variable changed_;
  std::condition_variable ended_;
  std::deque<Waiting> queue_;
  size_t queue_bytes_ = 0;
  uint64_t exported_ = 0;
  uint64_t dropped_ = 0;
  uint64_t failures_ = 0;
  bool stopping_ = false;
  bool done_ = false;
  SteadyClock::time_point end_by_;

  std::atomic<bool> give_up_{false};
  std::thread thread_;
};

Outcome<std::string> otlp_url(const std::string& endpoint) {
  size_t scheme = endpoint.find("://");
  bool web = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  bool has_host = web && endpoint.size() > scheme + 3 && endpoint[scheme + 3] != '/';
  if (!has_host || endpoint.find_first_of(" ?#@") != std::string::npos)
    return fail(ErrorCode::invalid_setting,
                "otlp: the address of a collector is expected, such as http://127.0.0.1:4318");
  if (endpoint.ends_with(traces_path)) return endpoint;
  std::string url = endpoint;
  while (url.ends_with('/')) url.pop_back();
  return url.append(traces_path);
}

Outcome<std::vector<std::pair<std::string, std::string>>> otlp_headers(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (size_t from = 0; from < text.size();) {
    size_t end = std::min(text.find(',', from), text.size());
    std::string pair = text.substr(from, end - from);
    from = end + 1;
    size_t equals = pair.find('=');
    std::string name = pair.substr(0, std::min(equals, pair.size()));
    while (name.starts_with(' ')) name.erase(0, 1);
    bool clean = std::all_of(pair.begin(), pair.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    if (equals == std::string::npos || name.empty() || !clean ||
        name.find_first_of(" :") != std::string::npos)
      return fail(ErrorCode::invalid_setting,
                  "otlp_headers: pairs `name=value`, separated by commas, are expected");
    headers.emplace_back(std::move(name), pair.substr(equals + 1));
  }
  return headers;
}

OtlpTelemetry::OtlpTelemetry(OtlpOptions options)
    : exporter_(std::make_unique<Exporter>(std::move(options))) {}
OtlpTelemetry::~OtlpTelemetry() = default;
void OtlpTelemetry::record(Make make, size_t bytes) { exporter_->record(std::move(make), bytes); }
Telemetry::Counts OtlpTelemetry::counts() const { return exporter_->counts(); }

}  // namespace fermata
