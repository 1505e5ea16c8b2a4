#include "server/server.h"

#include <csignal>
#include <thread>

#include "server/http/address.h"
#include "server/http/loop.h"

namespace fermata::server {

struct Server::Running {
  http::Loop loop;
  uint16_t port = 0;
  std::thread thread;
};

Server::Server(ServerOptions options, http::Handler& handler)
    : options_(std::move(options)), handler_(handler) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

Outcome<void> Server::start() {
  check(!running_);
  if (options_.tls_certificate_file.empty() != options_.tls_key_file.empty())
    return fail(ErrorCode::invalid_setting, "--tls-cert and --tls-key belong together.");
  std::unique_ptr<http::TlsContext> tls;
  if (!options_.tls_certificate_file.empty()) {
    FERMATA_TRY(loaded, http::load_tls(options_.tls_certificate_file, options_.tls_key_file));
    tls = std::move(loaded);
    // OpenSSL writes with write(2): without this a client that hangs up would end the process.
    std::signal(SIGPIPE, SIG_IGN);
  }
  FERMATA_TRY(address, http::parse_listen_address(options_.listen));
  FERMATA_TRY(listening, http::listen_on(address));
  http::LoopOptions loop_options{options_.limits, options_.connections_max};
  loop_options.limits.parser.rule = &handler_;
  running_.reset(new Running{
      {loop_options, handler_, listening.fd, std::move(tls)}, listening.port, std::thread()});
  running_->thread = std::thread([loop = &running_->loop] { loop->run(); });
  return {};
}

void Server::stop(std::chrono::milliseconds grace) {
  if (!running_) return;
  running_->loop.stop(grace);
  running_->thread.join();
  running_.reset();
}

uint16_t Server::port() const { return running_ ? running_->port : 0; }
http::LoopDoor Server::door() {
  check(running_ != nullptr);
  return running_->loop.door();
}
size_t Server::connections_open() const { return running_ ? running_->loop.connections_open() : 0; }

}  // namespace fermata::server
