#include "core/run/api_waits.h"
#include "core/run/wait_events.h"
#include "core/wait/resolve.h"

namespace fermata {

namespace {

std::string text_of(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

/// What the wait meant in local time, as core/graph/wait_plan.cpp has written it; nothing when it
/// did not come from local time.
std::optional<waits::LocalIntent> intent_of(const Value& kept) {
  auto local = parse_written_date(text_of(kept, "local_target"));
  std::string zone = text_of(kept, "timezone");
  if (!local || zone.empty()) return std::nullopt;
  waits::LocalIntent intent;
  intent.local = local->local;
  intent.zone = std::move(zone);
  if (text_of(kept, "gap_policy") == name_of(GapPolicy::shift))
    intent.gap_policy = GapPolicy::shift;
  const Value& plus = kept.get("plus_ms");
  if (plus.is_integer()) intent.plus = Duration{plus.as_integer()};
  return intent;
}

/// The same wait under other zone data, or nothing when it has seen that already.
std::optional<WaitChanged> followed(const Step& step, const Wait& wait, const ZoneTable& zones) {
  if (!is_pending(wait.status) || !wait.due || !wait.intent.is_object()) return std::nullopt;
  if (text_of(wait.intent, "tzdata_version") == zones.version()) return std::nullopt;
  auto intent = intent_of(wait.intent);
  if (!intent) return std::nullopt;
  // A zone that is gone leaves the instant that was found when it was known.
  Instant due = waits::instant_of(*intent, zones).value_or(*wait.due);
  WaitChanged changed{wait.id, wait.due, wait.config, wait.intent, "tzdata", "engine"};
  changed.intent.set("tzdata_version", zones.version());
  if (due != *wait.due) {
    // Never earlier than now: what has passed under the new law is due at once.
    changed.due = std::max(due, step.at);
    changed.intent.set("rescheduled_from", to_rfc3339(*wait.due));
  }
  return changed;
}

}  // namespace

Outcome<void> on_follow_zones(Step& step) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (!step.given.zones) return {};
  std::vector<WaitChanged> changes;
  for (const auto& [key, wait] : step.run.waits)
    if (auto changed = followed(step, wait, *step.given.zones))
      changes.push_back(*std::move(changed));
  if (changes.empty()) return {};
  for (WaitChanged& changed : changes) step.emit(std::move(changed));
  look_at_clock(step);
  return {};
}

}  // namespace fermata
