#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/value.h"
#include "server/http/message.h"
#include "server/http/responder.h"
#include "server/principal.h"

namespace fermata::server {

class Api;
struct Route;

/// One request on its way through a handler: what was asked, by whom, and how to answer. May be
/// copied into callbacks and answered from any thread; it keeps the request alive.
struct Call {
  const http::Request& request;
  const Route& route;
  http::Responder responder;
  Principal who;
  http::QueryFields query;
  Value body;  ///< of a route that takes JSON; null when none was sent
  /// Keeps a first answer under its Idempotency-Key and sends it; empty: it is only sent.
  std::function<void(const Call&, http::Response)> keep{};

  const std::string& variable(size_t index) const { return request.variables[index]; }
  void send(http::Response response) const {
    if (keep) return keep(*this, std::move(response));
    responder.send(std::move(response));
  }
  void send_json(int status, const Value& value) const;
};

/// Where a handler runs and what it may overlap with.
enum class Work : uint8_t {
  quick,     ///< on the server's thread; touches memory only
  command,   ///< on the server's thread; puts a command into the engine's queue
  blocking,  ///< on a worker thread; may wait for the disk
};

enum class Access : uint8_t { open, viewer, operator_, editor, admin, root, worker };

enum class Body : uint8_t {
  none,  ///< whatever is sent is ignored
  json,  ///< application/json, required
  json_optional,
  definition,  ///< as json, or text/x-flow, which the handler reads from request.body itself
  raw,         ///< the handler reads request.body itself
  upload,      ///< the same, and up to jobs_artifact_bytes_max
};

/// One row of the table that the router, the checks and /openapi.json are made from.
struct Route {
  http::Method method;
  std::string_view path;  ///< variable segments in braces
  Access access;
  Work work;
  void (*handler)(Api&, Call);
  std::string_view summary;
  std::string_view query = "";  ///< names of query parameters, separated by spaces
  Body body = Body::none;
  int success = 200;
  int version_conflict = 412;  ///< the status when what is written has changed since it was read
  std::string_view request_schema = "";              ///< JSON Schema of the body, or empty
  std::string_view response_schema = "";             ///< JSON Schema of the answer, or empty
  std::string_view media_type = "application/json";  ///< of the answer
  /// What it answers under an Idempotency-Key is kept and answered again. For those that act on
  /// what is there; those that make something know their repeats by what they made.
  bool remembers = false;
};

}  // namespace fermata::server
