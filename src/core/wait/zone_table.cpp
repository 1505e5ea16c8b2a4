#include "core/wait/zone_table.h"

#include <algorithm>
#include <optional>

#include "base/words.h"

namespace fermata {
namespace {

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

std::string_view last_part(std::string_view name) {
  size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_release(std::string_view version) {
  return version.size() >= 5 && two_digits(version) && two_digits(version.substr(2)) &&
         std::all_of(version.begin() + 4, version.end(),
                     [](char c) { return c >= 'a' && c <= 'z'; });
}

std::shared_ptr<const ZoneTable> made_utc_table() {
  auto utc = std::make_shared<const Zone>(Zone::fixed(0, "UTC"));
  auto gmt = std::make_shared<const Zone>(Zone::fixed(0, "GMT"));
  return std::make_shared<const ZoneTable>(
      "none", std::vector<ZoneTable::Named>{
                  {"UTC", utc}, {"Etc/UTC", utc}, {"GMT", gmt}, {"Etc/GMT", gmt}});
}

}  // namespace

ZoneTable::ZoneTable(std::string version, std::vector<Named> zones)
    : version_(std::move(version)), zones_(std::move(zones)) {
  auto by_name = [](const Named& a, const Named& b) { return a.first < b.first; };
  auto same_name = [](const Named& a, const Named& b) { return a.first == b.first; };
  std::stable_sort(zones_.begin(), zones_.end(), by_name);
  zones_.erase(std::unique(zones_.begin(), zones_.end(), same_name), zones_.end());
}

std::shared_ptr<const Zone> ZoneTable::find(std::string_view name) const {
  auto at = std::lower_bound(
      zones_.begin(), zones_.end(), name,
      [](const Named& zone, std::string_view wanted) { return zone.first < wanted; });
  return at != zones_.end() && at->first == name ? at->second : nullptr;
}

std::string ZoneTable::refusal(std::string_view name) const {
  std::string text = quoted(name) + " is no known time zone (zone data " + version_ + ").";
  std::vector<std::string_view> names, places;
  for (const Named& zone : zones_) names.push_back(zone.first);
  std::string_view best = nearest_word(name, names);
  // Who knows the city but not the continent is helped too: Berlin, Germany/Berlin.
  for (std::string_view candidate : names) places.push_back(last_part(candidate));
  if (best.empty()) {
    std::string_view place = nearest_word(last_part(name), places);
    auto at = std::find(places.begin(), places.end(), place);
    if (!place.empty()) best = names[static_cast<size_t>(at - places.begin())];
  }
  return best.empty() ? text : text + " Did you mean " + quoted(best) + "?";
}

const std::shared_ptr<const ZoneTable>& utc_table() {
  static const std::shared_ptr<const ZoneTable> table = made_utc_table();
  return table;
}

std::shared_ptr<const Zone> zone_or_offset(const ZoneTable& table, std::string_view name) {
  if (auto zone = table.find(name)) return zone;
  if (name == "Z") return utc_table()->find("UTC");
  auto seconds = fixed_offset(name);
  return seconds ? std::make_shared<const Zone>(Zone::fixed(*seconds, "")) : nullptr;
}

bool is_newer_release(std::string_view version, std::string_view than) {
  if (!is_release(version)) return false;
  if (!is_release(than)) return true;
  // After z the letters go on with za: more letters come later.
  if (version.substr(0, 4) != than.substr(0, 4)) return version.substr(0, 4) > than.substr(0, 4);
  if (version.size() != than.size()) return version.size() > than.size();
  return version > than;
}

}  // namespace fermata
