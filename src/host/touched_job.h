#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/job/decide.h"
#include "host/groups.h"
#include "host/job_cache.h"
#include "host/job_intake.h"

/// What travels through a partition of jobs; the counterpart of touched.h.
namespace fermata {

struct JobItem {
  job::Command command;
  JobReply reply{};    ///< empty for the engine's own commands
  uint32_t tries = 0;  ///< commits that conflicted
  bool posted = false;
  /// With a PlaceJob: the pair that the fleet waits to hear of.
  std::optional<fleet::Assignment> assignment{};
  /// The fleet's memory of the job may be wrong, because something that was decided did not happen.
  bool reconcile = false;
  /// Of a job that a run ordered: it is told when nothing comes of that.
  RunId orderer{};
  std::optional<Instant> held_at{};  ///< since when it has waited for its job to be durable
};

struct DecidedJobItem {
  JobItem item;
  std::optional<Error> refusal{};  ///< empty when it was accepted
  job::Answer answer = job::Answer::accepted;
  uint64_t fence = 0;  ///< that a PlaceJob has given
};

/// What was decided about one job and is not durable yet.
struct TouchedJob {
  OpenJob* open = nullptr;
  Groups::Member group = 0;
  std::vector<job::Event> events{};
  std::vector<job::Effect> effects{};
  std::vector<AuditLine> audit{};
  std::vector<DeadLetterEntry> dead_letters{};
  std::vector<job::KeepBlob> blobs{};
  std::vector<job::PolicyDecision> decisions{};
  /// What the windows of velocity rules were told too early, should it not be stored.
  std::vector<std::pair<job::VelocityCount, Instant>> counted{};
  std::optional<DaySpent> spent{};
  std::optional<std::string> held{};
  bool drop_held = false;
  std::vector<std::string> dropped_blobs{};
  std::optional<job::SettleLetter> settled_letter{};
  std::vector<DecidedJobItem> items{};
  bool idle() const { return events.empty() && audit.empty() && decisions.empty(); }
};

/// A command that a decision of this turn addresses to a job.
struct PostedJob {
  JobItem item;
  Groups::Member group = 0;  ///< of the sender
};

}  // namespace fermata
