#include "adapters/http/network_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

namespace fermata {
namespace {

struct Range {
  const char* base;
  int prefix_bits;
  AddressClass kind;
};

// The first range that contains an address names its class, so narrow ones stand first.
constexpr Range ranges_v4[] = {
    {"169.254.169.254", 32, AddressClass::metadata},
    {"169.254.170.2", 32, AddressClass::metadata},
    {"100.100.100.200", 32, AddressClass::metadata},
    {"255.255.255.255", 32, AddressClass::broadcast},
    {"0.0.0.0", 8, AddressClass::unspecified},
    {"10.0.0.0", 8, AddressClass::private_use},
    {"100.64.0.0", 10, AddressClass::shared_carrier},
    {"127.0.0.0", 8, AddressClass::loopback},
    {"169.254.0.0", 16, AddressClass::link_local},
    {"172.16.0.0", 12, AddressClass::private_use},
    {"192.0.0.0", 24, AddressClass::reserved},
    {"192.0.2.0", 24, AddressClass::reserved},
    {"192.168.0.0", 16, AddressClass::private_use},
    {"198.18.0.0", 15, AddressClass::reserved},
    {"198.51.100.0", 24, AddressClass::reserved},
    {"203.0.113.0", 24, AddressClass::reserved},
    {"224.0.0.0", 4, AddressClass::multicast},
    {"240.0.0.0", 4, AddressClass::reserved},
};
constexpr Range ranges_v6[] = {
    {"fd00:ec2::254", 128, AddressClass::metadata},
    {"fd20:ce::254", 128, AddressClass::metadata},
    {"::", 128, AddressClass::unspecified},
    {"::1", 128, AddressClass::loopback},
    {"fc00::", 7, AddressClass::unique_local},
    {"fe80::", 10, AddressClass::link_local},
    {"fec0::", 10, AddressClass::private_use},
    {"ff00::", 8, AddressClass::multicast},
    {"2001::", 23, AddressClass::reserved},
    {"2001:db8::", 32, AddressClass::reserved},
    {"2000::", 3, AddressClass::open},
    {"::", 0, AddressClass::reserved},
};

struct Embedding {
  const char* base;
  int prefix_bits;
  size_t offset;  ///< of the inner IPv4 address
};
constexpr Embedding embeddings[] = {
    {"::ffff:0:0", 96, 12}, {"::ffff:0:0:0", 96, 12}, {"::", 96, 12},
    {"64:ff9b::", 96, 12},  {"2002::", 16, 2},
};

std::optional<IpAddress> parse_address(std::string_view text) {
  std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) return address;
  address.is_v6 = true;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string to_text(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN];
  const int family = address.is_v6 ? AF_INET6 : AF_INET;
  return inet_ntop(family, address.bytes.data(), text, sizeof text) ? text : "";
}

Cidr literal(const char* base, int prefix_bits) { return {*parse_address(base), prefix_bits}; }

struct Table {
  struct Row {
    Cidr range;
    AddressClass kind;
  };
  struct Inner {
    Cidr range;
    size_t offset;
  };
  std::vector<Row> rows;
  std::vector<Inner> inner;
};

const Table& table() {
  static const Table built = [] {
    Table out;
    for (const Range& r : ranges_v4) out.rows.push_back({literal(r.base, r.prefix_bits), r.kind});
    for (const Range& r : ranges_v6) out.rows.push_back({literal(r.base, r.prefix_bits), r.kind});
    for (const Embedding& e : embeddings)
      out.inner.push_back({literal(e.base, e.prefix_bits), e.offset});
    return out;
  }();
  return built;
}

/// The IPv4 address that an IPv6 one carries. `::` and `::1` carry none: they are addresses of
/// their own that happen to lie in the range of the compatible form.
std::optional<IpAddress> embedded(const IpAddress& address) {
  if (!address.is_v6) return std::nullopt;
  static const Cidr own = literal("::", 127);
  if (own.contains(address)) return std::nullopt;
  for (const Table::Inner& entry : table().inner) {
    if (!entry.range.contains(address)) continue;
    IpAddress inner;
    std::memcpy(inner.bytes.data(), address.bytes.data() + entry.offset, 4);
    return inner;
  }
  return std::nullopt;
}

bool is_mapped(const IpAddress& address) {
  static const Cidr mapped = literal("::ffff:0:0", 96);
  return mapped.contains(address);
}

void clear_after(IpAddress& address, int prefix_bits) {
  for (int bit = prefix_bits; bit < 128; ++bit) {
    const auto mask = static_cast<uint8_t>(~(0x80U >> (bit % 8)));
    address.bytes[static_cast<size_t>(bit / 8)] &= mask;
  }
}

Failure<Error> refuse(std::string_view entry, std::string_view why) {
  std::string message = "http_private_networks: `";
  message.append(entry).append("` ").append(why);
  return fail(ErrorCode::invalid_setting, std::move(message));
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

bool Cidr::contains(const IpAddress& address) const {
  if (address.is_v6 != base.is_v6) return false;
  const auto whole = static_cast<size_t>(prefix_bits / 8);
  if (std::memcmp(address.bytes.data(), base.bytes.data(), whole) != 0) return false;
  const int rest = prefix_bits % 8;
  if (rest == 0) return true;
  return ((address.bytes[whole] ^ base.bytes[whole]) >> (8 - rest)) == 0;
}

std::string_view name_of(AddressClass kind) {
  switch (kind) {
    case AddressClass::open: return "public";
    case AddressClass::loopback: return "loopback";
    case AddressClass::private_use: return "private";
    case AddressClass::link_local: return "link-local";
    case AddressClass::unique_local: return "unique-local";
    case AddressClass::multicast: return "multicast";
    case AddressClass::broadcast: return "broadcast";
    case AddressClass::unspecified: return "unspecified";
    case AddressClass::shared_carrier: return "carrier-grade NAT";
    case AddressClass::metadata: return "metadata";
    case AddressClass::reserved: return "reserved";
    case AddressClass::unknown: return "unknown";
  }
  return "unknown";
}

AddressClass classify(const IpAddress& address) {
  if (const auto inner = embedded(address)) return classify(*inner);
  for (const Table::Row& row : table().rows)
    if (row.range.contains(address)) return row.kind;
  return AddressClass::open;
}

AddressClass NetworkPolicy::refusal(const IpAddress& address) const {
  if (allow_private) return AddressClass::open;
  const AddressClass kind = classify(address);
  if (kind == AddressClass::open) return kind;
  const auto inner = embedded(address);
  // A mapped address is IPv4 on the wire, so `::/0` must not let it through.
  const bool outer_counts = !is_mapped(address);
  for (const Cidr& range : allowed) {
    if (outer_counts && range.contains(address)) return AddressClass::open;
    if (inner && range.contains(*inner)) return AddressClass::open;
  }
  return kind;
}

AddressClass NetworkPolicy::refusal(const sockaddr& address) const {
  IpAddress ip;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    std::memcpy(ip.bytes.data(), &v4.sin_addr, 4);
    return refusal(ip);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(ip.bytes.data(), &v6.sin6_addr, 16);
    ip.is_v6 = true;
    return refusal(ip);
  }
  return AddressClass::unknown;
}

AddressClass NetworkPolicy::refusal(std::string_view address) const {
  const auto ip = parse_address(address.substr(0, address.find('%')));
  return ip ? refusal(*ip) : AddressClass::unknown;
}

Outcome<Cidr> parse_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  const auto base = parse_address(text.substr(0, slash));
  if (!base) return refuse(text, "is not an IPv4 or IPv6 range such as 10.0.0.0/8 or fd00::/8");
  const int bits_max = base->is_v6 ? 128 : 32;
  if (slash == std::string_view::npos) {
    const std::string whole = std::string(text) + "/" + std::to_string(bits_max);
    return refuse(text, "has no prefix length; write `" + whole + "` for this one address");
  }
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (bad != std::errc{} || end != digits.data() + digits.size() || bits < 0 || bits > bits_max)
    return refuse(text, "needs a prefix length from 0 to " + std::to_string(bits_max));
  if (is_mapped(*base)) return refuse(text, "is an IPv4 range in IPv6 form; write it as IPv4");
  Cidr range{*base, bits};
  clear_after(range.base, bits);
  if (range.base != *base) {
    const std::string right = to_text(range.base) + "/" + std::to_string(bits);
    return refuse(text, "has bits set after its prefix; write `" + right + "`");
  }
  return range;
}

Outcome<NetworkPolicy> parse_network_policy(std::string_view setting) {
  setting = trim(setting);
  if (setting == "deny") return NetworkPolicy{};
  if (setting == "allow") return NetworkPolicy{.allow_private = true, .allowed = {}};
  if (setting.empty())
    return refuse(setting, "is empty; write deny, allow, or ranges such as 10.0.0.0/8");
  NetworkPolicy policy;
  for (size_t start = 0; start <= setting.size();) {
    const size_t comma = std::min(setting.find(',', start), setting.size());
    const std::string_view entry = trim(setting.substr(start, comma - start));
    start = comma + 1;
    if (entry.empty()) return refuse(setting, "has an empty entry");
    if (entry == "deny" || entry == "allow")
      return refuse(entry, "stands alone, not in a list of ranges");
    if (policy.allowed.size() == allowed_networks_max)
      return refuse(entry,
                    "is one range too many; the most is " + std::to_string(allowed_networks_max));
    FERMATA_TRY(range, parse_cidr(entry));
    policy.allowed.push_back(range);
  }
  return policy;
}

}  // namespace fermata
