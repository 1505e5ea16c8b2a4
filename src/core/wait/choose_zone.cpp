#include "core/wait/resolve.h"

namespace fermata::waits {
namespace {

/// A zone that belongs to somebody: when it cannot be used it counts as missing.
std::optional<ChosenZone> usable(const std::string& name, std::string_view source,
                                 const WaitWorld& world, std::vector<std::string>& warnings) {
  if (name.empty()) return std::nullopt;
  auto zone = world.zones.find(name);
  if (zone) return ChosenZone{std::move(zone), name, source, {}};
  warnings.push_back("The zone of the " + std::string(source) +
                     " cannot be used: " + world.zones.refusal(name));
  return std::nullopt;
}

}  // namespace

Result<ChosenZone, Finding> choose_zone(const std::string& named, ZoneMode starts_at,
                                        const WaitWorld& world) {
  if (!named.empty()) {
    auto zone = world.zones.find(named);
    if (!zone)
      return Failure{Finding{"unknown_timezone", "/timezone", world.zones.refusal(named), {}}};
    return ChosenZone{std::move(zone), named, "explicit", {}};
  }
  std::vector<std::string> warnings;
  std::optional<ChosenZone> found;
  if (starts_at <= ZoneMode::contact)
    found = usable(world.contact_zone, "contact", world, warnings);
  if (!found && starts_at <= ZoneMode::account)
    found = usable(world.account_zone, "account", world, warnings);
  if (!found) found = ChosenZone{utc_table()->find("UTC"), "UTC", "utc", {}};
  found->warnings = std::move(warnings);
  return *std::move(found);
}

}  // namespace fermata::waits
