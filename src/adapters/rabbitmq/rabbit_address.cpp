#include "adapters/rabbitmq/rabbit_address.h"

#include <algorithm>
#include <charconv>

namespace fermata {

namespace {

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? hex_of(text[i + 1]) : -1;
    int low = high >= 0 ? hex_of(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

Failure<Error> unreadable(std::string_view why) {
  return fail(
      ErrorCode::invalid_setting,
      "bus: an address of RabbitMQ is amqp://user:password@host:port/vhost; " + std::string(why));
}

}  // namespace

std::string RabbitAddress::shown() const {
  bool bare = vhost == "/";
  std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return (tls ? "amqps://" : "amqp://") + name + ":" + std::to_string(port) +
         (bare ? "" : "/" + vhost);
}

Outcome<RabbitAddress> rabbit_address(const std::string& url) {
  RabbitAddress out;
  std::string_view rest = url;
  if (rest.starts_with("amqps://")) {
    out.tls = true;
    out.port = 5671;
    rest.remove_prefix(8);
  } else if (rest.starts_with("amqp://")) {
    rest.remove_prefix(7);
  } else {
    return unreadable("this one begins otherwise");
  }
  if (size_t slash = rest.find('/'); slash != std::string_view::npos) {
    std::string_view vhost = rest.substr(slash + 1);
    if (vhost.find_first_of("/?#") != std::string_view::npos)
      return unreadable("a slash in the name of the vhost is written %2F");
    if (!vhost.empty()) out.vhost = percent_decoded(vhost);
    rest = rest.substr(0, slash);
  }
  if (size_t at = rest.rfind('@'); at != std::string_view::npos) {
    std::string_view login = rest.substr(0, at);
    size_t colon = login.find(':');
    out.user = percent_decoded(login.substr(0, colon));
    if (colon != std::string_view::npos) out.password = percent_decoded(login.substr(colon + 1));
    rest.remove_prefix(at + 1);
  }
  size_t closing = rest.starts_with('[') ? rest.find(']') : 0;
  if (closing == std::string_view::npos) return unreadable("a bracket is not closed");
  size_t colon = rest.find(':', closing);
  std::string_view host = rest.substr(0, colon);
  if (closing > 0) host = rest.substr(1, closing - 1);
  if (host.empty()) return unreadable("the host is missing");
  out.host = host;
  if (colon != std::string_view::npos) {
    std::string_view port = rest.substr(colon + 1);
    auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || end != port.data() + port.size() || out.port < 1 ||
        out.port > 65'535)
      return unreadable("the port is no number from 1 to 65535");
  }
  return out;
}

Outcome<std::vector<RabbitAddress>> rabbit_addresses(const std::string& urls) {
  std::vector<RabbitAddress> out;
  for (size_t from = 0; from <= urls.size();) {
    size_t comma = std::min(urls.find(',', from), urls.size());
    FERMATA_TRY(address, rabbit_address(urls.substr(from, comma - from)));
    out.push_back(std::move(address));
    from = comma + 1;
  }
  return out;
}

}  // namespace fermata
