#pragma once
#include <string>
#include <vector>

#include "core/wait/zone_table.h"

/// A directory of compiled zones such as /usr/share/zoneinfo.
namespace fermata {

constexpr size_t zone_files_max = 5'000;

struct ZoneFile {
  std::string name;  ///< the zone's
  std::string path;
};

/// What is in a directory, without reading it.
struct ZoneDirectory {
  std::string path;
  std::vector<ZoneFile> files;
  std::string version;  ///< as `tzdata.zi` or `+VERSION` says; `unknown` where neither does
  /// Changes when a file is added, removed, replaced or written.
  std::string fingerprint;
};
/// Leaves out what belongs to this machine (`localtime`, `posixrules`), what counts leap seconds
/// (`right`) and copies (`posix`). Fails when there is no such directory or it holds too much.
Result<ZoneDirectory, std::string> look_at_zones(const std::string& path);

/// Reads the zones. Files that are no compiled zones are passed over; a compiled zone that cannot
/// be read is told in `problems` and left out; with none at all the reading fails.
struct ReadZones {
  std::vector<ZoneTable::Named> zones;
  std::vector<std::string> problems;
};
Result<ReadZones, std::string> read_zones(const ZoneDirectory& directory);

}  // namespace fermata
