#include "core/graph/nodes/zone.h"

#include <optional>

#include "core/graph/check_words.h"

namespace fermata::graph {
namespace {

constexpr int64_t zone_day_ms = 86'400'000;

class FixedZone final : public ZoneRules {
 public:
  FixedZone(int32_t seconds, std::string abbreviation)
      : offset_{seconds, std::move(abbreviation)} {}
  Offset offset_at(Instant) const override { return offset_; }
  Instant instant_of(LocalTime local) const override {
    return instant_at_offset(local, offset_.seconds);
  }

 private:
  Offset offset_;
};

std::optional<int> two_digits(std::string_view text) {
  if (text.size() < 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
    return std::nullopt;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

/// Seconds east of UTC of `+hh`, `+hhmm` or `+hh:mm`.
std::optional<int32_t> fixed_offset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  bool west = text[0] == '-';
  text.remove_prefix(1);
  auto hours = two_digits(text);
  if (!hours) return std::nullopt;
  text.remove_prefix(2);
  int minutes = 0;
  if (!text.empty()) {
    if (text[0] == ':') text.remove_prefix(1);
    auto given = two_digits(text);
    if (!given || text.size() != 2) return std::nullopt;
    minutes = *given;
  }
  if (*hours > 23 || minutes > 59) return std::nullopt;
  int32_t seconds = *hours * 3600 + minutes * 60;
  return west ? -seconds : seconds;
}

class FixedZones final : public Zones {
 public:
  std::shared_ptr<const ZoneRules> find(std::string_view name) const override {
    if (is_one_of(name, "UTC|Etc/UTC|Z")) return utc_;
    if (is_one_of(name, "GMT|Etc/GMT")) return std::make_shared<FixedZone>(0, "GMT");
    auto seconds = fixed_offset(name);
    return seconds ? std::make_shared<FixedZone>(*seconds, "") : nullptr;
  }
  std::string_view known() const override { return "UTC, GMT and offsets such as +02:00"; }
  const ZoneRules& utc() const { return *utc_; }

 private:
  std::shared_ptr<const ZoneRules> utc_ = std::make_shared<FixedZone>(0, "UTC");
};

const FixedZones& the_fixed_zones() {
  static const FixedZones zones;
  return zones;
}

}  // namespace

const Zones& fixed_zones() { return the_fixed_zones(); }
const ZoneRules& utc_zone() { return the_fixed_zones().utc(); }

LocalMoment local_moment(Instant at, const ZoneRules& zone) {
  ZoneRules::Offset offset = zone.offset_at(at);
  int64_t shown_ms = at.ms + int64_t{offset.seconds} * 1000;
  int64_t days = shown_ms / zone_day_ms;
  int64_t rest = shown_ms % zone_day_ms;
  if (rest < 0) {
    rest += zone_day_ms;
    --days;
  }
  return {at, {civil_from_days(days), rest}, std::move(offset)};
}

Instant instant_at_offset(LocalTime local, int64_t offset_seconds) {
  return {days_from_civil(local.date) * zone_day_ms + local.ms_of_day - offset_seconds * 1000};
}

int weekday_of(CivilDate date) {
  int64_t day = (days_from_civil(date) + 4) % 7;
  return static_cast<int>(day < 0 ? day + 7 : day);
}

int day_of_year(CivilDate date) {
  return static_cast<int>(days_from_civil(date) - days_from_civil({date.year, 1, 1})) + 1;
}

}  // namespace fermata::graph
