#pragma once
#include <memory>
#include <vector>

#include "base/error.h"
#include "core/model/account_settings.h"
#include "core/model/command.h"
#include "core/model/contact.h"
#include "core/model/delivery.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/post.h"
#include "core/model/run.h"
#include "core/wait/zone_table.h"

namespace fermata {

/// Limits of a run at run time (graph.md section 7); settings `graph_…`.
struct RunLimits {
  uint64_t tokens_max = 200'000;
  uint64_t activations_max = 1'000'000;
  uint64_t context_bytes_max = 8 << 20;
  uint64_t run_bytes_max = 256 << 20;
  int nesting_max = 150;  ///< of an output; below what the stored form can hold
  uint32_t split_items_max = 100'000;
  uint32_t split_depth_max = 8;
  uint32_t visits_max = 1'000;
  uint32_t steps_per_commit = 10'000;
  uint64_t expression_steps_max = 10'000;
  uint64_t expression_text_bytes_max = 1 << 20;
  uint64_t code_steps_max = 1'000'000;
  uint64_t code_memory_bytes_max = 32 << 20;
  uint64_t activation_steps_max = 10'000'000;
  uint64_t response_bytes_max = 4 << 20;
  int64_t interval_ms_max = int64_t{365} * 86'400'000;
  uint64_t signals_kept_max = 10'000;
  uint32_t child_depth_max = 32;
  uint32_t signal_targets_max = 1'000;  ///< executions that one signal to a label reaches
  int64_t callback_give_up_ms = int64_t{72} * 3'600'000;  ///< W-74
  uint32_t mail_recipients_max = 100;
  bool saga_skips_denied = false;  ///< setting `saga_on_denied` (J-75)
  bool saga_skips_failed = false;
  int64_t saga_idle_ms = int64_t{7} * 86'400'000;  ///< a saga of jobs without one for so long ends
  AccountId hops{};               ///< whose steps go by a broker: `rabbitmq_execution` (C-60)
  int64_t hop_again_ms = 30'000;  ///< a token that has not come back by then is sent again
  flow::FlowLimits flow;          ///< of scripts; settings `flow_…`
};

/// What the limits of an account leave to a run (W-80); whoever keeps count says so.
struct WaitRoom {
  int64_t per_execution = 0;           ///< waits of the API that may be pending; 0: any number
  std::optional<int64_t> waits{};      ///< more that the account may have; none: any number
  std::optional<int64_t> listeners{};  ///< that may be opened now; none: any number
};

/// All that a decision may know of the world.
struct Given {
  Instant now;
  uint64_t entropy = 0;
  RunLimits limits;
  /// The zone data in force; none: UTC and fixed offsets. What it leads to is written into events,
  /// so a fold needs none.
  std::shared_ptr<const ZoneTable> zones = nullptr;
  /// Signals received before now that waits of the run may have missed while they were held, or
  /// that a timeout must not overtake (W-57, W-65); in the order they came.
  std::vector<SignalRef> retained{};
  /// What the run's account has chosen, and the contact the run is about. None: the defaults, no
  /// contact. What they lead to is written into events too.
  std::shared_ptr<const AccountSettings> account = nullptr;
  std::shared_ptr<const Contact> contact = nullptr;
  OnInactive workflow = OnInactive::active;  ///< what becomes of waits of the run's workflow
  WaitRoom room{};
};

struct Decision {
  std::vector<Event> events;
  std::vector<Effect> effects;
  std::vector<Post> posts;
  std::vector<WaitRecord> waits;          ///< those it changed, as they are now
  std::vector<ApprovalRecord> approvals;  ///< the same of approvals
  std::vector<Delivery> deliveries;       ///< of the ends it brought about
  int64_t listeners_opened = 0;           ///< that count in a limit of the account (W-80)
};

/// Decides what a command means for a run and advances the run by the events it returns: each event
/// goes through `evolve` and nothing else touches the state. Pure: the same run, command and
/// `given` give the same events. A refusal (quiet for timers and answers) changes nothing.
Outcome<Decision> decide(Run& run, const Command& command, const Given& given);

/// Folds one event into the state. Total: no checks of meaning, no effects.
void evolve(Run& run, const Event& event);

}  // namespace fermata
