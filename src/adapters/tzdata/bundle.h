#pragma once
#include <string>
#include <string_view>

#include "core/wait/zone_table.h"

namespace fermata {

/// The copy of zone data that the program carries, as tools/bundle_zones wrote it at build time.
std::string_view bundled_zone_bytes();

/// The release of a bundle without reading its zones; empty when the bytes are none.
std::string_view bundle_version(std::string_view bytes);
/// Reads a bundle: a line `FZONES1`, one with the release, one with the number of names and that
/// of zones, the names with the number of their zone, the sizes of the zones, then these, as TZif.
Result<std::shared_ptr<const ZoneTable>, std::string> read_bundle(std::string_view bytes);

}  // namespace fermata
