#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wait/zone.h"

namespace fermata {

/// The zones of one release of zone data by their IANA names, aliases included. Immutable: a
/// decision that was given a table sees one release throughout.
class ZoneTable {
 public:
  using Named = std::pair<std::string, std::shared_ptr<const Zone>>;
  /// `version` is that of the data, such as `2026f`. Of a name given twice the first counts.
  ZoneTable(std::string version, std::vector<Named> zones);

  const std::string& version() const { return version_; }
  /// Empty when the name is not known; names are case-exact.
  std::shared_ptr<const Zone> find(std::string_view name) const;
  const std::vector<Named>& zones() const { return zones_; }
  /// Why a name that is not known is refused, with the name that was probably meant.
  std::string refusal(std::string_view name) const;

 private:
  std::string version_;
  std::vector<Named> zones_;  ///< by name
};

/// Knows UTC under its usual names and nothing else; for who was given no zone data.
const std::shared_ptr<const ZoneTable>& utc_table();

/// A zone of the table, or a fixed offset written `+02:00`, `+0200`, `+02` or `Z`.
std::shared_ptr<const Zone> zone_or_offset(const ZoneTable& table, std::string_view name);

/// Orders releases of zone data: by year, then by letter. What is no release is the oldest.
bool is_newer_release(std::string_view version, std::string_view than);

}  // namespace fermata
