#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"
#include "cli/client_http.h"
#include "cli/command.h"

namespace fermata::cli {

/// The server's API as commands call it. Errors are those the server told, with its findings; a
/// server that cannot be reached is io_failed.
class Client {
 public:
  /// From --server or FERMATA_SERVER, and FERMATA_KEY.
  static Outcome<Client> from(const Arguments& arguments, const Surroundings& around);

  Outcome<Value> get(const std::string& path) const;
  /// A POST carries an Idempotency-Key of its own, so that nothing happens twice.
  Outcome<Value> post(const std::string& path, const Value& body) const;
  Outcome<Value> put(const std::string& path, const std::string& text,
                     const std::string& content_type = "application/json") const;
  Outcome<void> remove(const std::string& path) const;

  struct StreamEvent {
    std::string event;
    std::string id;
    Value data;
  };
  /// Calls `on_event` for each event until it answers false or the stream ends.
  Outcome<void> stream(const std::string& path, const std::string& last_id,
                       const std::function<bool(const StreamEvent&)>& on_event) const;
  const ServerAddress& address() const { return address_; }

 private:
  Outcome<HttpAnswer> call(HttpRequest request, int silence_seconds, const BodySink& sink) const;

  ServerAddress address_;
  std::string key_;
};

/// `--server URL`, for commands that use a Client.
Option server_option();

/// Escapes what may not stand in one segment of a path or in a query's value.
std::string url_escaped(std::string_view text);

/// Cuts a stream of server-sent events into events.
class EventReader {
 public:
  /// False once `on_event` has answered false.
  bool feed(std::string_view piece,
            const std::function<bool(const Client::StreamEvent&)>& on_event);

 private:
  std::string line_;
  Client::StreamEvent event_;
  std::string data_;
};

}  // namespace fermata::cli
