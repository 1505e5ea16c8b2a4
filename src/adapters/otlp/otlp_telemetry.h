#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ports/telemetry.h"

namespace fermata {

struct OtlpOptions {
  std::string url;  ///< where spans are posted to (otlp_url)
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string service_version{};
  std::string instance_id{};          ///< tells one process from another
  size_t queue_max = 20'000;          ///< what waits to be made into spans; more is dropped
  size_t queue_bytes_max = 64 << 20;  ///< about, of the same
  size_t batch_spans_max = 512;       ///< in one request
  int64_t interval_ms = 1'000;        ///< that the first of a batch waits for others
  int64_t timeout_ms = 10'000;        ///< of one request
  int64_t flush_ms = 2'000;           ///< that the end may take to deliver the rest
  int64_t retry_ms = 1'000;           ///< before the second try; then twice as long each time
  int64_t retry_ms_max = 30'000;
  int tries_max = 5;  ///< of one batch
  /// Told on the adapter's thread when deliveries begin to fail, and with an empty text when they
  /// succeed again.
  std::function<void(const std::string&)> on_trouble{};
};

/// The address of the traces of an endpoint: `http://host:4318` and the path that the protocol
/// says, unless the endpoint ends with it. Fails with invalid_setting when it is no such address.
Outcome<std::string> otlp_url(const std::string& endpoint);
/// `name=value` pairs separated by commas. Fails with invalid_setting, without quoting a value.
Outcome<std::vector<std::pair<std::string, std::string>>> otlp_headers(const std::string& text);

/// Posts spans by OTLP/HTTP in its JSON form, in batches, from a thread of its own. A collector
/// that is slow or away costs spans, never the caller's time.
class OtlpTelemetry final : public Telemetry {
 public:
  explicit OtlpTelemetry(OtlpOptions options);
  /// Delivers what it can within `flush_ms`.
  ~OtlpTelemetry() override;
  OtlpTelemetry(const OtlpTelemetry&) = delete;
  OtlpTelemetry& operator=(const OtlpTelemetry&) = delete;

  void record(Make make, size_t bytes) override;
  Counts counts() const override;

 private:
  class Exporter;
  std::unique_ptr<Exporter> exporter_;
};

}  // namespace fermata
