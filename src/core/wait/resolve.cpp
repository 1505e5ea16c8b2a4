#include "core/wait/resolve.h"

#include "base/hash.h"

namespace fermata::waits {
namespace {

Result<WaitInstant, Finding> before_spread(const WaitConfig& config, GapPolicy gap,
                                           const WaitWorld& world) {
  if (const auto* fixed = std::get_if<FixedTime>(&config.kind)) {
    WaitInstant found;
    found.rule = "R5";
    found.at = world.now + fixed->length;
    return found;
  }
  const auto* date = std::get_if<UntilDate>(&config.kind);
  // A date without a zone is UTC, whoever waits; a time of day is the contact's (R9, R10).
  ZoneMode standard = date ? ZoneMode::utc : ZoneMode::contact;
  ZoneMode starts_at = config.zone_mode == ZoneMode::unsaid ? standard : config.zone_mode;
  FERMATA_TRY(zone, choose_zone(config.timezone, starts_at, world));
  FERMATA_TRY(found, date ? until_date(*date, zone, gap, world)
                          : until_time(std::get<UntilTime>(config.kind), zone, gap, world));
  if (found.intent) {
    found.timezone = zone.name;
    found.timezone_source = zone.source;
  }
  found.warnings = std::move(zone.warnings);
  return found;
}

void apply_spread(WaitInstant& found, const WaitConfig& config, const WaitWorld& world) {
  if (config.spread_ms == 0 || found.past) return;
  Duration delay = spread_delay(world.spread_key, config.spread_ms);
  found.at = found.at + delay;
  if (found.intent) found.intent->plus = found.intent->plus + delay;
}

Result<WaitInstant, Finding> apply_window(WaitInstant found, const WaitConfig& config,
                                          GapPolicy gap, const WaitWorld& world) {
  if (!config.window) return found;
  auto zone = choose_zone(config.window->timezone, ZoneMode::contact, world);
  if (!zone) {
    Finding finding = zone.error();
    finding.path = "/resume_window/timezone";
    return Failure{std::move(finding)};
  }
  Instant resumes = found.past ? world.now : found.at;
  FERMATA_TRY(moved, in_window(resumes, *config.window, *zone, gap, world));
  if (!moved.intent) return found;
  found.at = moved.at;
  found.past = false;
  found.intent = std::move(moved.intent);
  found.timezone = zone->name;
  found.timezone_source = zone->source;
  return found;
}

}  // namespace

std::optional<Instant> instant_of(const LocalIntent& intent, const ZoneTable& zones) {
  auto zone = zones.find(intent.zone);
  if (!zone) return std::nullopt;
  return zone->instant_of(intent.local, intent.gap_policy) + intent.plus;
}

Duration spread_delay(std::string_view key, int64_t most_ms) {
  auto hash = sha256(key);
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof number; ++i) number = number << 8 | hash[i];
  return {static_cast<int64_t>(number % (static_cast<uint64_t>(most_ms) + 1))};
}

Result<WaitInstant, Finding> resolve(const WaitConfig& config, const WaitWorld& world) {
  GapPolicy gap = config.gap_policy.value_or(world.gap_policy);
  FERMATA_TRY(found, before_spread(config, gap, world));
  if (found.past) found.warnings.push_back("target date is in the past");
  apply_spread(found, config, world);
  return apply_window(std::move(found), config, gap, world);
}

std::vector<WaitInstant> occurrences(const WaitConfig& config, WaitWorld world, size_t count) {
  std::vector<WaitInstant> found;
  while (found.size() < count) {
    auto next = resolve(config, world);
    if (!next || next->past || next->at <= world.now) return found;
    world.now = next->at;
    found.push_back(*std::move(next));
  }
  return found;
}

}  // namespace fermata::waits
