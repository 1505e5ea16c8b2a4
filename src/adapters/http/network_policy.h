#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

struct sockaddr;

namespace fermata {

constexpr size_t allowed_networks_max = 256;

/// An IP address in network byte order; IPv4 uses the first four bytes. Plain data, no owner.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};
  bool is_v6 = false;
  bool operator==(const IpAddress&) const = default;
};

/// A range of addresses such as 10.0.0.0/8: those whose first `prefix_bits` equal `base`'s.
struct Cidr {
  IpAddress base;
  int prefix_bits = 0;
  bool contains(const IpAddress& address) const;
  bool operator==(const Cidr&) const = default;
};

/// What kind of place an address is. Everything but `open` is out of reach by default.
enum class AddressClass : uint8_t {
  open,  ///< a unicast address of the public network
  loopback,
  private_use,
  link_local,
  unique_local,
  multicast,
  broadcast,
  unspecified,
  shared_carrier,  ///< carrier-grade NAT, 100.64.0.0/10
  metadata,        ///< where clouds hand out credentials of the machine
  reserved,        ///< documentation, benchmarks, and what nobody was given yet
  unknown,         ///< neither IPv4 nor IPv6
};
std::string_view name_of(AddressClass kind);

/// The address that a packet reaches decides, so an IPv6 address that carries an IPv4 one
/// (mapped, compatible, NAT64, 6to4) is of the class of the inner one.
AddressClass classify(const IpAddress& address);

/// Which addresses calls may connect to (G-40). The public network always; the rest only when
/// `allow_private`, or when a range of `allowed` contains it.
struct NetworkPolicy {
  bool allow_private = false;
  std::vector<Cidr> allowed;

  /// `open` when a connection may be made, else the class to name in the refusal.
  AddressClass refusal(const IpAddress& address) const;
  AddressClass refusal(const sockaddr& address) const;
  /// The same for the text form; what is not an address is `unknown`.
  AddressClass refusal(std::string_view address) const;
  bool operator==(const NetworkPolicy&) const = default;
};

/// Reads the setting `http_private_networks`: `deny`, `allow`, or CIDRs separated by commas.
/// Fails with `invalid_setting`, naming the entry and what to write instead.
Outcome<NetworkPolicy> parse_network_policy(std::string_view setting);
Outcome<Cidr> parse_cidr(std::string_view text);

}  // namespace fermata
