#include "front/schedule_preview.h"

#include "core/schedule/view.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

struct SchedulePreview {
  schedule::Spec spec;
  Instant from;
  int64_t count = 10;
};

Outcome<SchedulePreview> read_preview(const Value& body, Instant now) {
  Fields fields(body);
  SchedulePreview request;
  schedule::Spec& spec = request.spec;
  // A preview is about a rule; which workflow it would start does not matter.
  spec.workflow = WorkflowId("preview");
  spec.cron = fields.text("cron").value_or("");
  spec.every_ms =
      fields.integer("every_ms", schedule::every_ms_min, schedule::every_ms_max).value_or(0);
  spec.timezone = fields.text("timezone", 100).value_or("UTC");
  if (auto gap = fields.text("gap_policy")) {
    auto policy = gap_policy_of(*gap);
    if (!policy) fields.wrong("gap_policy", "`gap_end` or `shift` is expected.");
    spec.gap_policy = policy.value_or(GapPolicy::gap_end);
  }
  spec.start_at = fields.instant("start_at");
  spec.end_at = fields.instant("end_at");
  request.from = fields.instant("from").value_or(now);
  request.count = fields.integer("n", 1, preview_occurrences_max).value_or(request.count);
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

}  // namespace

Outcome<Value> preview_schedule(const Value& body, const ZoneTable& zones, Instant now) {
  FERMATA_TRY(request, read_preview(body, now));
  FERMATA_TRY_VOID(schedule::refuse_wrong(request.spec, zones));
  FERMATA_TRY(rule, schedule::Rule::of(request.spec, request.from, zones));
  auto zone = zones.find(request.spec.timezone);
  Value next = Value::array();
  Instant after = request.from;
  while (static_cast<int64_t>(next.size()) < request.count) {
    auto found = rule.next(after);
    if (!found) break;
    after = *found;
    next.push(schedule::view_occurrence(*found, *zone));
  }
  return Value::object({{"timezone", request.spec.timezone},
                        {"tzdata", zones.version()},
                        {"next", std::move(next)}});
}

Outcome<Value> preview_of(const schedule::Schedule& schedule, const ZoneTable& zones, Instant now,
                          int64_t count) {
  const schedule::Spec& spec = schedule.spec;
  FERMATA_TRY(rule, schedule::Rule::of(spec, schedule.created_at, zones));
  auto zone = zones.find(spec.timezone);
  std::optional<Instant> at = schedule.next;
  if (schedule.paused) at = rule.next(now);
  Value next = Value::array();
  for (; at && static_cast<int64_t>(next.size()) < count; at = rule.next(*at)) {
    Value shown = schedule::view_occurrence(*at, *zone);
    shown.set("start_at", to_rfc3339(*at + schedule::jitter_of(schedule.id, *at, spec.jitter_ms)));
    next.push(std::move(shown));
  }
  return Value::object(
      {{"timezone", spec.timezone}, {"tzdata", zones.version()}, {"next", std::move(next)}});
}

}  // namespace fermata::front
