#include "adapters/tzdata/tzdata_zones.h"

#include <map>

#include "adapters/tzdata/bundle.h"
#include "adapters/tzdata/directory.h"

namespace fermata {
namespace {

/// Old names that a directory may lack (some distributions ship them apart) mean what they mean in
/// the bundle: the directory's zone under another of their names, else the bundle's own.
void add_missing_names(std::vector<ZoneTable::Named>& zones, const ZoneTable& bundle) {
  std::map<std::string_view, std::shared_ptr<const Zone>> present(zones.begin(), zones.end());
  std::map<const Zone*, std::shared_ptr<const Zone>> by_bundled;
  for (const auto& [name, zone] : bundle.zones())
    if (auto found = present.find(name); found != present.end())
      by_bundled.emplace(zone.get(), found->second);
  std::vector<ZoneTable::Named> added;
  for (const auto& [name, zone] : bundle.zones()) {
    if (present.contains(name)) continue;
    auto found = by_bundled.find(zone.get());
    added.emplace_back(name, found != by_bundled.end() ? found->second : zone);
  }
  zones.insert(zones.end(), added.begin(), added.end());
}

}  // namespace

Outcome<std::unique_ptr<TzdataZones>> TzdataZones::open(TzdataOptions options) {
  std::unique_ptr<TzdataZones> zones(new TzdataZones(std::move(options)));
  FERMATA_TRY_VOID(zones->load());
  return zones;
}

Outcome<void> TzdataZones::load() {
  auto bundled = read_bundle(bundled_zone_bytes());
  if (!bundled) return fail(ErrorCode::data_damaged, bundled.error());
  bundled_ = *std::move(bundled);
  table_ = bundled_;
  origin_ = "bundled";
  look_again();
  if (!options_.directory.empty() && origin_ != options_.directory)
    return fail(ErrorCode::invalid_setting,
                "tzdata: " + (last_problem_.empty() ? options_.directory : last_problem_));
  return {};
}

void TzdataZones::complain(const std::string& problem) {
  // The same trouble is looked at every minute; it is told once.
  if (problem == last_problem_) return;
  last_problem_ = problem;
  if (options_.on_problem) options_.on_problem(problem);
}

void TzdataZones::look_again() {
  bool chosen = !options_.directory.empty();
  const std::string& path = chosen ? options_.directory : options_.system_directory;
  auto directory = look_at_zones(path);
  if (!directory) {
    // A machine without zone data is served by the bundle.
    if (chosen) complain(directory.error());
    return;
  }
  if (directory->fingerprint == fingerprint_) return;
  fingerprint_ = directory->fingerprint;
  if (!chosen && !is_newer_release(directory->version, bundled_->version())) {
    table_ = bundled_;
    origin_ = "bundled";
    return;
  }
  auto read = read_zones(*directory);
  if (!read) return complain(read.error());
  for (const std::string& problem : read->problems) complain(problem);
  add_missing_names(read->zones, *bundled_);
  table_ = std::make_shared<const ZoneTable>(directory->version, std::move(read->zones));
  origin_ = path;
}

std::shared_ptr<const ZoneTable> TzdataZones::zones(Instant now) {
  std::lock_guard lock(mutex_);
  bool never = looked_at_.ms == INT64_MIN;
  // A clock that was set back looks again too.
  bool due = never || now < looked_at_ || now.ms - looked_at_.ms >= options_.check_interval_ms;
  if (due) {
    if (!never) look_again();
    looked_at_ = now;
  }
  return table_;
}

std::string TzdataZones::origin() const {
  std::lock_guard lock(mutex_);
  return origin_;
}

}  // namespace fermata
