#include "core/schedule/spec.h"

#include <array>

#include "core/wait/resolve.h"

namespace fermata::schedule {
namespace {

constexpr std::array<std::string_view, 4> overlap_names = {"skip", "queue", "allow",
                                                           "cancel_previous"};
constexpr std::array<std::string_view, 3> catch_up_names = {"one", "all", "none"};

template <class E, size_t N>
std::optional<E> named(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

void check_rule(const Spec& spec, std::vector<Finding>& findings) {
  bool by_cron = !spec.cron.empty(), by_interval = spec.every_ms != 0;
  if (by_cron == by_interval) {
    findings.push_back({"invalid_field",
                        by_cron ? "/every_ms" : "/cron",
                        "A schedule has either \"cron\" or \"every_ms\".",
                        {}});
    return;
  }
  if (by_interval) {
    if (spec.every_ms < every_ms_min || spec.every_ms > every_ms_max)
      findings.push_back({"invalid_field",
                          "/every_ms",
                          "\"every_ms\" must be " + std::to_string(every_ms_min) + " to " +
                              std::to_string(every_ms_max) + ".",
                          {}});
    return;
  }
  auto cron = Cron::parse(spec.cron);
  if (!cron) {
    findings.push_back({"invalid_field", "/cron", cron.error(), {}});
  } else if (cron->never_fires()) {
    findings.push_back({"schedule_never_fires",
                        "/cron",
                        "No day within 30 years fits \"" + spec.cron + "\".",
                        {}});
  }
}

void check_bounds(std::string_view name, int64_t value, int64_t most,
                  std::vector<Finding>& findings) {
  if (value >= 0 && value <= most) return;
  findings.push_back({"invalid_field",
                      "/" + std::string(name),
                      "\"" + std::string(name) + "\" must be 0 to " + std::to_string(most) + ".",
                      {}});
}

}  // namespace

std::string_view name_of(Overlap overlap) { return overlap_names[static_cast<size_t>(overlap)]; }
std::optional<Overlap> overlap_of(std::string_view name) {
  return named<Overlap>(overlap_names, name);
}
std::string_view name_of(CatchUp catch_up) { return catch_up_names[static_cast<size_t>(catch_up)]; }
std::optional<CatchUp> catch_up_of(std::string_view name) {
  return named<CatchUp>(catch_up_names, name);
}

std::vector<Finding> findings_of(const Spec& spec, const ZoneTable& zones) {
  std::vector<Finding> findings;
  if (spec.workflow.empty())
    findings.push_back({"invalid_field", "/workflow_id", "A schedule needs a workflow.", {}});
  check_rule(spec, findings);
  if (!zones.find(spec.timezone))
    findings.push_back({"unknown_timezone", "/timezone", zones.refusal(spec.timezone), {}});
  check_bounds("jitter_ms", spec.jitter_ms, jitter_ms_max, findings);
  check_bounds("catch_up_ms", spec.catch_up_ms, catch_up_ms_max, findings);
  if (spec.start_at && spec.end_at && *spec.end_at < *spec.start_at)
    findings.push_back(
        {"invalid_field", "/end_at", "\"end_at\" must not be before \"start_at\".", {}});
  return findings;
}

Outcome<void> refuse_wrong(const Spec& spec, const ZoneTable& zones) {
  auto findings = findings_of(spec, zones);
  if (findings.empty()) return {};
  ErrorCode code = ErrorCode::invalid_field;
  if (findings.front().code == "schedule_never_fires") code = ErrorCode::schedule_never_fires;
  if (findings.front().code == "unknown_timezone") code = ErrorCode::unknown_timezone;
  std::string message = findings.front().message;
  return fail(code, std::move(message), std::move(findings));
}

Outcome<Rule> Rule::of(const Spec& spec, Instant counts_from, const ZoneTable& zones) {
  Rule rule;
  rule.zone_ = zones.find(spec.timezone);
  if (!rule.zone_) return fail(ErrorCode::unknown_timezone, zones.refusal(spec.timezone));
  if (!spec.cron.empty()) {
    auto cron = Cron::parse(spec.cron);
    if (!cron) return fail(ErrorCode::invalid_field, cron.error());
    rule.cron_ = *std::move(cron);
  }
  rule.gap_ = spec.gap_policy;
  rule.every_ms_ = spec.every_ms;
  rule.counts_from_ = spec.start_at.value_or(counts_from);
  rule.start_at_ = spec.start_at;
  rule.end_at_ = spec.end_at;
  return rule;
}

std::optional<Instant> Rule::next(Instant after) const {
  if (start_at_ && after < *start_at_) after = *start_at_ - Duration{1};
  std::optional<Instant> found;
  if (cron_) {
    found = next_occurrence(*cron_, *zone_, gap_, after);
  } else {
    int64_t elapsed = after.ms - counts_from_.ms;
    int64_t times = elapsed < 0 ? 0 : elapsed / every_ms_ + 1;
    found = counts_from_ + Duration{times * every_ms_};
  }
  if (found && end_at_ && *found > *end_at_) return std::nullopt;
  return found;
}

Duration jitter_of(const ScheduleId& schedule, Instant occurrence, int64_t jitter_ms) {
  return waits::spread_delay(schedule.text() + "/" + std::to_string(occurrence.ms), jitter_ms);
}

}  // namespace fermata::schedule
