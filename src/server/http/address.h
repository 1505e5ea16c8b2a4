#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fermata::http {

/// Where to listen, from `127.0.0.1:4747`, `[::1]:4747`, `localhost:4747` or `0.0.0.0:0`.
struct ListenAddress {
  std::string host = "127.0.0.1";
  uint16_t port = 4747;
};
Outcome<ListenAddress> parse_listen_address(std::string_view text);
std::string to_text(const ListenAddress& address);

/// True for names and numbers that only this machine can reach.
bool is_loopback_host(std::string_view host);
/// The host of `host:port` or `[v6]:port`, without brackets.
std::string_view host_of_authority(std::string_view authority);

struct Listening {
  int fd = -1;
  uint16_t port = 0;  ///< as bound, when 0 was asked for
};
/// Opens a listening, non-blocking socket. Fails with `address_in_use` or `invalid_setting`.
Outcome<Listening> listen_on(const ListenAddress& address);

}  // namespace fermata::http
