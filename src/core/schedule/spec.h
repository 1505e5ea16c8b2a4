#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/value.h"
#include "core/schedule/cron.h"
#include "core/wait/zone_table.h"

/// What a schedule is told to do (F-58).
namespace fermata::schedule {

/// When an occurrence comes while an earlier run is not over (F-62).
enum class Overlap : uint8_t { skip, queue, allow, cancel_previous };
std::string_view name_of(Overlap overlap);
std::optional<Overlap> overlap_of(std::string_view name);
constexpr Overlap last_of(Overlap) { return Overlap::cancel_previous; }

/// What becomes of occurrences that were missed while the engine was down (F-62).
enum class CatchUp : uint8_t { one, all, none };
std::string_view name_of(CatchUp catch_up);
std::optional<CatchUp> catch_up_of(std::string_view name);
constexpr CatchUp last_of(CatchUp) { return CatchUp::none; }

struct Spec {
  WorkflowId workflow;
  uint32_t version = 0;  ///< of the workflow; 0: the current one at each start
  std::string cron;      ///< or an interval
  int64_t every_ms = 0;  ///< elapsed time from `start_at`, or from the schedule's creation
  std::string timezone = "UTC";
  GapPolicy gap_policy = GapPolicy::gap_end;
  Value input;
  Value labels;
  int64_t jitter_ms = 0;
  Overlap overlap = Overlap::skip;
  CatchUp catch_up = CatchUp::one;
  int64_t catch_up_ms = 86'400'000;
  std::optional<Instant> start_at;
  std::optional<Instant> end_at;  ///< no occurrence after it
  uint64_t max_runs = 0;          ///< 0: no limit
  std::string trigger_node;       ///< of the definition that made it; empty: somebody did

  bool operator==(const Spec&) const = default;
  /// True when both name the same occurrences.
  bool same_rule(const Spec& other) const {
    return cron == other.cron && every_ms == other.every_ms && timezone == other.timezone &&
           gap_policy == other.gap_policy && start_at == other.start_at && end_at == other.end_at;
  }
  template <class V>
  void each(V&& v) {
    v("workflow_id", workflow);
    v("version", version);
    v("cron", cron);
    v("every_ms", every_ms);
    v("timezone", timezone);
    v("gap_policy", gap_policy);
    v("input", input);
    v("labels", labels);
    v("jitter_ms", jitter_ms);
    v("overlap", overlap);
    v("catch_up", catch_up);
    v("catch_up_ms", catch_up_ms);
    v("start_at", start_at);
    v("end_at", end_at);
    v("max_runs", max_runs);
    v("trigger_node", trigger_node);
  }
};

constexpr int64_t every_ms_min = 1'000;
constexpr int64_t every_ms_max = int64_t{366} * 86'400'000;
constexpr int64_t jitter_ms_max = 86'400'000;
constexpr int64_t catch_up_ms_max = int64_t{366} * 86'400'000;

/// Everything that is wrong with a specification: `code`, `path` of the field, a sentence.
/// `schedule_never_fires` and `unknown_timezone` are codes of their own (F-59, F-60).
std::vector<Finding> findings_of(const Spec& spec, const ZoneTable& zones);

/// The same as a refusal: its code is that of the first finding.
Outcome<void> refuse_wrong(const Spec& spec, const ZoneTable& zones);

/// The occurrences of a specification. Cheap to make where the cron text is short.
class Rule {
 public:
  /// Fails when the cron text is wrong or the zone data does not know the zone. `counts_from` is
  /// where an interval begins when the specification does not say.
  static Outcome<Rule> of(const Spec& spec, Instant counts_from, const ZoneTable& zones);
  /// The first occurrence after an instant, within `start_at` and `end_at`.
  std::optional<Instant> next(Instant after) const;
  LocalTime local_at(Instant at) const { return zone_->local_at(at); }
  /// Does a time that clocks show twice fire twice (F-60)?
  bool fires_on_both_passes() const { return cron_ && cron_->every_hour(); }

 private:
  Rule() = default;
  std::optional<Cron> cron_;
  std::shared_ptr<const Zone> zone_;
  GapPolicy gap_ = GapPolicy::gap_end;
  int64_t every_ms_ = 0;
  Instant counts_from_;
  std::optional<Instant> start_at_;
  std::optional<Instant> end_at_;
};

/// The delay of an occurrence's start in [0, jitter_ms]: fixed by schedule and occurrence.
Duration jitter_of(const ScheduleId& schedule, Instant occurrence, int64_t jitter_ms);

}  // namespace fermata::schedule
