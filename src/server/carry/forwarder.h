#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ports/passages.h"
#include "server/access.h"
#include "server/http/handler.h"
#include "server/router.h"

namespace fermata::server {

struct ForwarderOptions {
  AccessOptions access;
  bool from_anywhere = true;  ///< others than this machine's programs can reach where we listen
  bool demo_echo = false;
  size_t upload_bytes_max = 0;  ///< jobs_artifact_bytes_max
  std::string version;
  std::string console_dir;
  /// How long a request waits while nobody leads; setting carry_wait_ms.
  std::chrono::milliseconds wait{5'000};
  /// Why this server is not to be asked although it could carry; empty for nothing.
  std::function<std::string()> unfit;
};

/// What a server answers while another one leads (C-2): what concerns itself alone, and the files
/// of the console. Every other request is carried to the one that leads, and its answer back. A
/// request is sent once: when the leader is lost before it has answered, the client is told so.
class Forwarder final : public http::Handler {
 public:
  Forwarder(Passages& passages, ForwarderOptions options);
  ~Forwarder() override;

  http::Lane classify(http::Request& request) override;
  void handle(const http::Request& request, http::Responder responder) override;
  std::optional<http::BodyLimit> body_limit(http::Request& request) override;
  http::Response refuse(const Error& error) override;
  void answered(const http::Request&, int status, std::chrono::nanoseconds) override;

  /// Who leads, and whether it takes requests. To be told again and again: requests that wait for a
  /// leader are sent, or given up, then.
  void leader_is(const std::string& name, bool serving);
  /// This server takes over: what comes waits for `hand_over`.
  void begins_to_lead();
  /// Gives the requests that wait to what answers from now on. On the server's thread. `later` is
  /// given those that come back afterwards, on any thread.
  using Taker = std::function<void(const http::Request&, http::Responder)>;
  void hand_over(const Taker& taker, Taker later);
  /// The server stops: nobody will answer those that wait, and they are told so.
  void give_up();

 private:
  using Steady = std::chrono::steady_clock;
  /// The request lives as long as its responder.
  struct Waiting {
    const http::Request* request;
    http::Responder responder;
    Steady::time_point until;
  };
  bool answers_itself(const http::Request& request, const http::Responder& responder);
  http::Response readiness();
  std::string metrics() const;
  void carry(Waiting one);
  void keep(Waiting one);

  Passages& passages_;
  const ForwarderOptions options_;
  const std::span<const Route> routes_;
  const Router router_;
  std::mutex mutex_;
  std::string leader_;
  bool serving_ = false;
  std::atomic<bool> leads_{false};  ///< this server does: nothing is carried any more
  std::vector<Waiting> waiting_;
  Taker later_;
  bool gave_up_ = false;
  std::atomic<uint64_t> answered_{0};
  std::atomic<uint64_t> unavailable_{0};
};

/// Gives requests to the one of two handlers whose turn it is, while the server listens on.
class HandlerSwitch final : public http::Handler {
 public:
  explicit HandlerSwitch(http::Handler& first) : now_(&first) {}
  /// The next requests are this one's; any thread. Both must live as long as the server.
  void turn_to(http::Handler& next) { now_ = &next; }

  http::Lane classify(http::Request& request) override;
  void handle(const http::Request& request, http::Responder responder) override;
  std::optional<http::BodyLimit> body_limit(http::Request& request) override;
  http::Response refuse(const Error& error) override;
  void answered(const http::Request& request, int status, std::chrono::nanoseconds took) override;

 private:
  std::atomic<http::Handler*> now_;
};

}  // namespace fermata::server
