#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fermata::mail {

constexpr size_t local_part_bytes_max = 64;
constexpr size_t domain_bytes_max = 255;

/// Who a mail comes from or goes to: `Ada Lovelace <ada@example.org>`.
struct Address {
  std::string name;     ///< may be empty; any characters but control characters
  std::string address;  ///< `local@domain`, ASCII
  bool operator==(const Address&) const = default;
  std::string_view domain() const {
    return std::string_view(address).substr(address.rfind('@') + 1);
  }
};

/// Reads addresses separated by commas or semicolons, each alone or as `Name <address>`, the name
/// in quotes where it holds such marks. Empty entries count for nothing. Fails with a sentence for
/// people. A control character anywhere is a mistake, so nothing read here can begin a new header
/// or a new command.
Result<std::vector<Address>, std::string> read_addresses(std::string_view text);

}  // namespace fermata::mail
