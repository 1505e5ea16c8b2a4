#include "core/wait/zone.h"

#include <algorithm>

#include "core/wait/zone_rule.h"

namespace fermata {
namespace {

constexpr int64_t no_change_yet = INT64_MIN;
/// As far as instants in milliseconds reach, with room for an offset.
constexpr int64_t change_s_max = INT64_MAX / 1000 - 4 * zone_offset_seconds_max;

int64_t floor_second(Instant at) {
  return at.ms >= 0 ? at.ms / 1000 : -((-(at.ms + 1)) / 1000) - 1;
}

bool fits(const ZoneOffset& offset) {
  return offset.seconds > -zone_offset_seconds_max && offset.seconds < zone_offset_seconds_max;
}

/// What contradicts itself in the data, or nothing.
std::string contradiction(const ZoneData& data) {
  if (data.offsets.empty()) return "it has no offset at all";
  if (!std::all_of(data.offsets.begin(), data.offsets.end(), fits))
    return "an offset is a day or more";
  if (data.changes_s.size() != data.offset_after.size()) return "a change has no offset";
  for (size_t i = 0; i < data.changes_s.size(); ++i) {
    if (i > 0 && data.changes_s[i] <= data.changes_s[i - 1]) return "changes are out of order";
    if (data.offset_after[i] >= data.offsets.size()) return "a change has no offset";
    if (data.changes_s[i] > change_s_max || data.changes_s[i] < -change_s_max)
      return "a change lies beyond all calendars";
  }
  if (!data.rule) return {};
  const ZoneRule& rule = *data.rule;
  if (!fits(rule.standard) || (rule.summer && !fits(*rule.summer)))
    return "an offset of the rule is a day or more";
  size_t last = data.offset_after.empty() ? 0 : data.offset_after.back();
  if (!rule.summer && rule.standard.seconds != data.offsets[last].seconds)
    return "the rule does not continue the last change";
  return {};
}

}  // namespace

std::string_view name_of(GapPolicy policy) {
  return policy == GapPolicy::shift ? "shift" : "gap_end";
}

std::optional<GapPolicy> gap_policy_of(std::string_view name) {
  if (name == "gap_end") return GapPolicy::gap_end;
  if (name == "shift") return GapPolicy::shift;
  return std::nullopt;
}

Zone Zone::fixed(int32_t offset_seconds, std::string abbreviation) {
  return Zone(ZoneData{{{offset_seconds, std::move(abbreviation), false}}, {}, {}, {}});
}

Result<Zone, std::string> Zone::from(ZoneData data) {
  std::string wrong = contradiction(data);
  if (!wrong.empty()) return Failure{std::move(wrong)};
  return Zone(std::move(data));
}

const ZoneOffset& Zone::offset_at_second(int64_t second) const {
  const auto& changes = data_.changes_s;
  int64_t last = changes.empty() ? no_change_yet : changes.back();
  if (second >= last && data_.rule && data_.rule->summer) {
    RuleChange change = rule_change_before(*data_.rule, second);
    // Until the rule has changed the clocks once they go on as they were.
    if (change.at_s > last) return *change.offset;
  }
  auto after = std::upper_bound(changes.begin(), changes.end(), second);
  if (after == changes.begin()) return data_.offsets.front();
  return data_.offsets[data_.offset_after[static_cast<size_t>(after - changes.begin()) - 1]];
}

std::optional<int64_t> Zone::next_change_second(int64_t second) const {
  const auto& changes = data_.changes_s;
  auto after = std::upper_bound(changes.begin(), changes.end(), second);
  if (after != changes.end()) return *after;
  if (!data_.rule || !data_.rule->summer) return std::nullopt;
  int64_t last = changes.empty() ? no_change_yet : changes.back();
  return rule_change_after(*data_.rule, std::max(second, last)).at_s;
}

const ZoneOffset& Zone::offset_at(Instant at) const { return offset_at_second(floor_second(at)); }

LocalTime Zone::local_at(Instant at) const {
  return local_as_if_utc({at.ms + int64_t{offset_at(at).seconds} * 1000});
}

std::optional<Instant> Zone::next_change(Instant at) const {
  auto second = next_change_second(floor_second(at));
  if (!second) return std::nullopt;
  return Instant{*second * 1000};
}

LocalMatch Zone::match(LocalTime local) const {
  Instant shown = as_if_utc(local);
  int64_t shown_s = floor_second(shown);
  int64_t part_ms = shown.ms - shown_s * 1000;
  auto instant = [&](int64_t second) { return Instant{second * 1000 + part_ms}; };
  // Between two changes clocks run evenly: whatever instant shows the time lies in one of the few
  // stretches that touch these bounds.
  int64_t begin = shown_s - zone_offset_seconds_max;
  const int64_t end = shown_s + zone_offset_seconds_max;
  std::optional<LocalMatch> found, gap;
  bool first_stretch = true;
  int32_t before = 0;
  while (begin <= end) {
    int32_t offset = offset_at_second(begin).seconds;
    auto next = next_change_second(begin);
    int64_t at = shown_s - offset;
    bool inside = at >= begin && (!next || at < *next);
    if (inside && found) {
      found->kind = LocalMatch::Kind::overlap;
      found->later = instant(at);
    } else if (inside) {
      found = LocalMatch{LocalMatch::Kind::unique, instant(at), instant(at)};
    }
    bool skipped = !first_stretch && !gap && begin + before <= shown_s && shown_s < begin + offset;
    if (skipped) gap = LocalMatch{LocalMatch::Kind::gap, {begin * 1000}, instant(shown_s - before)};
    before = offset;
    first_stretch = false;
    if (!next) break;
    begin = *next;
  }
  if (found) return *found;
  check(gap.has_value());
  return *gap;
}

bool Zone::has_date(CivilDate date) const {
  LocalMatch midnight = match({date, 0});
  return midnight.kind != LocalMatch::Kind::gap || local_at(midnight.earlier).date == date;
}

Instant instant_at_offset(LocalTime local, int64_t offset_seconds) {
  return {as_if_utc(local).ms - offset_seconds * 1000};
}

LocalMoment local_moment(Instant at, const Zone& zone) {
  const ZoneOffset& offset = zone.offset_at(at);
  return {at, local_as_if_utc({at.ms + int64_t{offset.seconds} * 1000}), offset};
}

const Zone& utc_zone() {
  static const Zone utc = Zone::fixed(0, "UTC");
  return utc;
}

}  // namespace fermata
