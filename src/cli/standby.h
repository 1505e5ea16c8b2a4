#pragma once
#include <string>

#include "server/http/handler.h"

namespace fermata::cli {

/// What a server answers while another one leads: that it lives, that it is not ready, and to every
/// other request that it stands by.
class Standby final : public http::Handler {
 public:
  explicit Standby(std::string leader) : leader_(std::move(leader)) {}
  http::Lane classify(http::Request&) override { return http::Lane::safe; }
  void handle(const http::Request& request, http::Responder responder) override;
  http::Response refuse(const Error& error) override;
  void answered(const http::Request&, int, std::chrono::nanoseconds) override {}

 private:
  std::string leader_;
};

}  // namespace fermata::cli
