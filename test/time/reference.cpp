#include "test/time/reference.h"

#include <cstdlib>

#include "adapters/tzdata/directory.h"
#include "base/check.h"

namespace fermata::testing {
namespace {

constexpr int64_t watch_minutes_before = 4 * 1'440;

}  // namespace

LibraryZone::LibraryZone(const std::string& file) {
  const char* before = std::getenv("TZ");
  had_zone_ = before != nullptr;
  if (before) before_ = before;
  setenv("TZ", (":" + file).c_str(), 1);
  tzset();
}

LibraryZone::~LibraryZone() {
  if (had_zone_) setenv("TZ", before_.c_str(), 1);
  if (!had_zone_) unsetenv("TZ");
  tzset();
}

LibraryZone::Shown LibraryZone::at(Instant at) const {
  int64_t ms = at.ms % 1000 < 0 ? at.ms % 1000 + 1000 : at.ms % 1000;
  time_t second = (at.ms - ms) / 1000;
  std::tm parts{};
  check(localtime_r(&second, &parts) != nullptr);
  LocalTime local{{parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday},
                  ((parts.tm_hour * 60 + parts.tm_min) * 60 + parts.tm_sec) * int64_t{1000} + ms};
  return {local, static_cast<int>(parts.tm_gmtoff), parts.tm_zone};
}

int64_t LibraryZone::local_minute(int64_t minute) const {
  time_t second = minute * 60;
  std::tm parts{};
  check(localtime_r(&second, &parts) != nullptr);
  return minute + parts.tm_gmtoff / 60;
}

ClockWatch::ClockWatch(const LibraryZone& zone, Instant from)
    : zone_(zone), minute_(from.ms / 60'000 - watch_minutes_before) {
  shown_ = shown_before_ = reached_ = reached_before_ = zone_.local_minute(minute_);
  for (int64_t i = 0; i < watch_minutes_before; ++i) step();
}

void ClockWatch::step() {
  ++minute_;
  shown_before_ = shown_;
  shown_ = zone_.local_minute(minute_);
  reached_before_ = reached_;
  if (shown_ > reached_) reached_ = shown_;
}

std::vector<std::string> system_zone_names() {
  std::vector<std::string> names;
  auto directory = look_at_zones(system_zones);
  if (!directory) return names;
  auto read = read_zones(*directory);
  if (!read) return names;
  for (const auto& [name, zone] : read->zones) names.push_back(name);
  return names;
}

}  // namespace fermata::testing
