#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/catalog.h"
#include "server/http/message.h"
#include "server/principal.h"

namespace fermata::server {

/// Browsers that have shown a key once and are known by a cookie since (U-50). Kept in memory:
/// after a restart of the server one signs in again. Safe from several threads.
///
/// A cookie is sent by the browser whatever page asks, so a write by one also needs the session's
/// csrf text in `X-CSRF-Token`, which only the console's own pages can read, and an `Origin` that
/// is the server's (U-75).
class Sessions {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::hours idle_max{12};
  static constexpr size_t sessions_max = 4096;

  explicit Sessions(Catalog& catalog) : catalog_(catalog) {}

  struct Opened {
    std::string token;  ///< what the cookie holds; only its SHA-256 is kept here
    std::string csrf;
  };
  Opened open(const Principal& who, Time now);

  /// True when the request has this server's cookie and no key of its own, which would go first.
  static bool presented(const http::Request& request);
  /// Fails with `unauthorized` when the session is unknown, was idle for too long or its key has
  /// ended, with `origin_forbidden` when another page may have sent the write.
  Outcome<Principal> authenticate(const http::Request& request, Instant now, Time steady_now);
  /// The csrf text of the request's session; empty when it has none.
  std::string csrf_of(const http::Request& request);
  void close(const http::Request& request);
  /// Ends every session that a key has opened.
  void forget_key(const std::string& key_id);

  /// The value of Set-Cookie; an empty token removes the cookie.
  static std::string cookie(const http::Request& request, std::string_view token, bool secure);

 private:
  static constexpr std::chrono::seconds key_checked_every{30};
  struct Session {
    Principal who;
    std::string csrf;
    Time used_at;
    Time key_checked_at;
  };
  Outcome<void> check_key(const std::string& print, const std::string& key_id, Instant now,
                          Time steady_now);
  void make_room(Time now);

  Catalog& catalog_;
  std::mutex mutex_;
  std::unordered_map<std::string, Session> sessions_;  ///< by SHA-256 of the token
};

}  // namespace fermata::server
