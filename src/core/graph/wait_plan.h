#pragma once
#include "core/graph/nodes/node.h"
#include "core/run/step.h"
#include "core/wait/config.h"

namespace fermata::graph {

/// When a wait node resumes, by its form (G-81).
struct WaitPlan {
  Instant at;
  /// What follows when `at` is not in the future; set for waits until a date.
  std::optional<waits::DateReaction> past;
  /// {timezone, local_target, gap_policy, plus_ms, tzdata_version} of a wait that came from local
  /// time (W-5), with how its instant was found; else null.
  Value intent;
  std::string type{};  ///< one of the four, or empty for a plain interval
  Value config{};
  /// Set when the field of the contact that should hold the date holds none: there is no instant,
  /// and this follows.
  std::optional<waits::DateReaction> missing{};
};
/// Fails with `wait_invalid`, whose details have the code of waits.md section 3. `wait_id` fixes
/// the wait's place in its spread.
Result<WaitPlan, NodeError> plan_wait(const Step& step, const Node& node, const Value& parameters,
                                      const std::string& wait_id);

/// The instant of a configuration of one of the types, by the rules of section 4. A finding has
/// the code of section 3.
struct WaitMoment {
  Instant now;
  const ZoneTable& zones;
  std::string wait_id;
  const AccountSettings& account;
  const Contact* contact = nullptr;  ///< null: there is none
};
/// Of a wait of the run at hand, computed as of `now`.
WaitMoment wait_moment(const Step& step, Instant now, std::string wait_id);
/// What is wrong when the date is missing and nothing else is to follow from that.
Finding missing_date(const WaitPlan& plan);
/// Why a request for the wait is refused although its configuration is well: the date is missing or
/// has passed, and that is to fail.
std::optional<Finding> refusal_of(const WaitPlan& plan, Instant now);
Result<WaitPlan, std::vector<Finding>> plan_typed_wait(const std::string& type, Value config,
                                                       const WaitMoment& moment);

}  // namespace fermata::graph
