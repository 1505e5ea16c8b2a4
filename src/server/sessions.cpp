#include "server/sessions.h"

#include <algorithm>

#include "base/hash.h"
#include "server/access.h"
#include "server/keys.h"

namespace fermata::server {
namespace {

/// Cookies know no ports: without its own in the name, one server would sign out of another.
std::string cookie_name(const http::Request& request) {
  std::string_view authority = request.authority;
  size_t colon = authority.rfind(':');
  bool has_port = colon != std::string_view::npos && authority.find(']', colon) == authority.npos;
  return "fermata_session_" + std::string(has_port ? authority.substr(colon + 1) : "0");
}

std::string token_of(const http::Request& request) {
  std::string wanted = cookie_name(request) + "=";
  std::string_view rest = request.header("cookie");
  while (!rest.empty()) {
    size_t end = std::min(rest.find(';'), rest.size());
    std::string_view one = rest.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(wanted)) return std::string(one.substr(wanted.size()));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

bool is_read(const http::Request& request) {
  return request.method == http::Method::get || request.method == http::Method::head;
}

Failure<Error> over(std::string message) {
  return fail(ErrorCode::unauthorized, std::move(message));
}

}  // namespace

Sessions::Opened Sessions::open(const Principal& who, Time now) {
  // Two fresh keys are two texts that nobody can guess.
  Opened opened{make_key().secret.substr(20), make_key().secret.substr(20)};
  std::lock_guard lock(mutex_);
  make_room(now);
  sessions_[sha256_hex(opened.token)] = {who, opened.csrf, now, now};
  return opened;
}

void Sessions::make_room(Time now) {
  std::erase_if(sessions_,
                [&](const auto& entry) { return now - entry.second.used_at > idle_max; });
  if (sessions_.size() < sessions_max) return;
  auto oldest = std::min_element(
      sessions_.begin(), sessions_.end(),
      [](const auto& a, const auto& b) { return a.second.used_at < b.second.used_at; });
  sessions_.erase(oldest);
}

bool Sessions::presented(const http::Request& request) {
  return presented_key(request).empty() && !token_of(request).empty();
}

Outcome<Principal> Sessions::authenticate(const http::Request& request, Instant now,
                                          Time steady_now) {
  std::string print = sha256_hex(token_of(request));
  Session session;
  {
    std::lock_guard lock(mutex_);
    auto found = sessions_.find(print);
    if (found == sessions_.end()) return over("The session is not known here. Sign in again.");
    if (steady_now - found->second.used_at > idle_max) {
      sessions_.erase(found);
      return over("The session was not used for 12 hours. Sign in again.");
    }
    found->second.used_at = steady_now;
    session = found->second;
  }
  if (steady_now - session.key_checked_at > key_checked_every)
    FERMATA_TRY_VOID(check_key(print, session.who.actor, now, steady_now));
  if (!is_read(request) && (request.header("x-csrf-token") != session.csrf ||
                            !is_same_origin(request.header("origin"), request.authority)))
    return fail(ErrorCode::origin_forbidden,
                "A write by a session needs its X-CSRF-Token and the server's own Origin.");
  return choose_account(std::move(session.who), request.header("x-account-id"));
}

/// A key may have been revoked elsewhere or have expired since.
Outcome<void> Sessions::check_key(const std::string& print, const std::string& key_id, Instant now,
                                  Time steady_now) {
  FERMATA_TRY(record, catalog_.key(key_id));
  std::lock_guard lock(mutex_);
  if (!record || record->revoked_at || (record->expires_at && *record->expires_at <= now)) {
    sessions_.erase(print);
    return over("The key of this session has ended. Sign in with another one.");
  }
  auto found = sessions_.find(print);
  if (found != sessions_.end()) found->second.key_checked_at = steady_now;
  return {};
}

std::string Sessions::csrf_of(const http::Request& request) {
  if (!presented(request)) return {};
  std::lock_guard lock(mutex_);
  auto found = sessions_.find(sha256_hex(token_of(request)));
  return found == sessions_.end() ? std::string() : found->second.csrf;
}

void Sessions::close(const http::Request& request) {
  std::lock_guard lock(mutex_);
  sessions_.erase(sha256_hex(token_of(request)));
}

void Sessions::forget_key(const std::string& key_id) {
  std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second.who.actor == key_id; });
}

std::string Sessions::cookie(const http::Request& request, std::string_view token, bool secure) {
  auto seconds = token.empty() ? std::chrono::seconds(0) : std::chrono::seconds(idle_max);
  return cookie_name(request) + "=" + std::string(token) +
         "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(seconds.count()) +
         (secure ? "; Secure" : "");
}

}  // namespace fermata::server
