#pragma once
#include <chrono>

#include "base/error.h"
#include "server/http/message.h"
#include "server/http/parser.h"
#include "server/http/responder.h"

namespace fermata::http {

/// Which requests of one connection may be under way together (their answers keep their order).
enum class Lane : uint8_t {
  exclusive,  ///< begins when all before it are answered, and nothing begins beside it
  safe,       ///< reads: overlap with reads
  queued,     ///< commands that enter the engine's queue in order: overlap with commands
};

/// What the connections call. All calls come from the server's one thread and must not block.
class Handler : public BodyRule {
 public:
  std::optional<BodyLimit> body_limit(Request&) override { return std::nullopt; }
  /// Finds the route (kept in the request) and says how the request may overlap with others.
  virtual Lane classify(Request& request) = 0;
  virtual void handle(const Request& request, Responder responder) = 0;
  /// The answer to a request that could not be read.
  virtual Response refuse(const Error& error) = 0;
  /// Told when an answer has been handed to the connection.
  virtual void answered(const Request& request, int status, std::chrono::nanoseconds took) = 0;
};

}  // namespace fermata::http
