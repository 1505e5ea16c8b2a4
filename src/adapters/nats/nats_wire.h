#pragma once
#include <functional>
#include <memory>

#include "ports/wire.h"

namespace fermata {

struct NatsOptions {
  std::vector<std::string> urls;  ///< nats:// or tls://, of one cluster
  std::string user{};             ///< with `password`; else what the addresses say
  std::string password{};
  std::string tls_ca{};  ///< PEM file of the authorities; with it TLS is spoken
  std::string name = "fermata";
  std::string stream_sys = "CORDUM_SYS";
  std::string stream_jobs = "CORDUM_JOBS";
  /// Stands before every subject of the protocol, with its dot (`acme.`). Streams for it are others
  /// than those without, and are to be named so.
  std::string prefix{};
  Duration patience{30'000};        ///< for the first connection
  size_t unpublished_max = 10'000;  ///< messages that may wait for the broker
  size_t unsettled_max = 1'024;     ///< deliveries of one consumer under way together
  /// Something that people should know; on any thread. No secret.
  std::function<void(const std::string&)> on_warning{};
};

/// Fails with invalid_setting.
Outcome<std::vector<std::string>> nats_urls(const std::string& list);

/// CAP's subjects over NATS JetStream, by libnats. One thread per consumer, one that publishes;
/// it connects again by itself.
class NatsWire final : public Wire {
 public:
  /// Connects, looks at the streams, makes what is missing and begins to read (C-6). Fails with
  /// io_failed when nobody answers for `patience`, with invalid_setting when what is there cannot
  /// be used.
  static Outcome<std::unique_ptr<NatsWire>> open(NatsOptions options);
  ~NatsWire() override;

  [[nodiscard]] bool publish(WireMessage message) override;
  void announce(const std::string& subject, const std::string& bytes) override;
  void settle(uint64_t number, WireSettlement settlement) override;
  News wait(size_t most, Duration patience) override;
  void wake() override;
  Outcome<uint64_t> pending(const std::string& subject) override;
  Outcome<std::optional<std::string>> latest(const std::string& subject) override;
  WireHealth health() const override;

 private:
  struct Parts;
  explicit NatsWire(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace fermata
