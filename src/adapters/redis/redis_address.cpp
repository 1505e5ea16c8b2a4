#include "adapters/redis/redis_address.h"

#include <charconv>

#include "base/url_secret.h"

namespace fermata {

namespace {

constexpr int redis_port = 6379, sentinel_port = 26379;
constexpr int databases_max = 65'535;

std::optional<int> number(std::string_view text, int least, int most) {
  int value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// `%40` is `@`.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool escape =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (!escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
    i += 2;
  }
  return out;
}

std::optional<RedisAddress::Place> read_place(std::string_view text, int standard_port) {
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    if (!port.empty() && port[0] != ':') return std::nullopt;
  } else if (size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (host.empty()) return std::nullopt;
  if (port.empty()) return RedisAddress::Place(host, standard_port);
  auto given = number(port.substr(1), 1, 65'535);
  if (!given) return std::nullopt;
  return RedisAddress::Place(host, *given);
}

Failure<Error> wrong(const std::string& shown, const std::string& what) {
  return fail(ErrorCode::invalid_setting, "`" + shown + "`: " + what);
}

}  // namespace

Outcome<RedisAddress> read_redis_address(const std::string& url) {
  RedisAddress address;
  address.shown = without_password(url);
  std::string_view rest = url;
  if (rest.starts_with("rediss://"))
    return wrong(address.shown,
                 "this client library of Redis has no TLS, so what is sent could be read on the "
                 "way. Use redis:// over a private network or through a tunnel.");
  bool by_sentinels = rest.starts_with("redis+sentinel://");
  if (!by_sentinels && !rest.starts_with("redis://"))
    return wrong(address.shown, "an address begins with redis:// or redis+sentinel://.");
  rest.remove_prefix(rest.find("://") + 3);
  if (size_t at = rest.rfind('@'); at != std::string_view::npos) {
    std::string_view who = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    size_t colon = who.find(':');
    address.user = unescaped(who.substr(0, colon));
    if (colon != std::string_view::npos) address.password = unescaped(who.substr(colon + 1));
  }
  std::string_view places = rest.substr(0, rest.find('/'));
  std::string_view name = rest.substr(std::min(places.size() + 1, rest.size()));
  for (bool more = true; more;) {
    size_t comma = places.find(',');
    auto place = read_place(places.substr(0, comma), by_sentinels ? sentinel_port : redis_port);
    if (!place) return wrong(address.shown, "a place is a host, or host:port.");
    address.places.push_back(*std::move(place));
    more = comma != std::string_view::npos;
    if (more) places.remove_prefix(comma + 1);
  }
  if (by_sentinels) {
    if (name.empty()) return wrong(address.shown, "the name that the sentinels know is missing.");
    address.master = unescaped(name);
    return address;
  }
  if (address.places.size() != 1)
    return wrong(address.shown, "several places need redis+sentinel://…/name.");
  if (name.empty()) return address;
  auto database = number(name, 0, databases_max);
  if (!database)
    return wrong(address.shown, "what follows the last `/` is a number of a database.");
  address.database = *database;
  return address;
}

}  // namespace fermata
