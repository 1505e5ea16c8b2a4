#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ports/accounts.h"
#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/job_files.h"
#include "ports/policy_store.h"
#include "ports/pool_store.h"
#include "ports/reader.h"
#include "ports/retention.h"
#include "ports/store.h"
#include "ports/views.h"

/// How one store hands everything it holds to another while it is in use (C-105). What is handed
/// over is said in the words of the ports, so that neither has to know the other.
namespace fermata::transfer {

/// In the order in which things are handed over.
enum class Kind : uint8_t {
  definition,
  orphan,
  workflow,
  rules,
  key,
  credential,
  mark,
  account,
  view,
  run,
  job,
  schedule,
  wait,
  wait_number,
  approval,
  delivery,
  signal,
  signal_effect,
  contact,
  dead_letter,
  blob,
  registration,
  bulk,
  policy_revision,
  policy_document,
  policy_snapshot,
  policy_version,
  policy_decision,
  policy_hit,
  pools,
  usage,
  outbox,
  message_mark,
  audit,
  audit_root,
};
constexpr size_t kinds = static_cast<size_t>(Kind::audit_root) + 1;

/// Names one thing among those of its kind; numbers are decimal.
struct Key {
  Kind kind = Kind::definition;
  std::vector<std::string> parts;
  auto operator<=>(const Key&) const = default;
};

struct Definition {
  DefinitionHash hash;
  std::string canonical;
};
/// A definition that nothing names any more, and since when.
struct Orphan {
  DefinitionHash hash;
  int64_t since_ms = 0;
};
struct Workflow {
  WorkflowRecord record;
  std::vector<WorkflowVersion> versions;
};
struct WholeRun {
  StoredRun run;  ///< with its whole history
  std::vector<Checkpoint> checkpoints;
};
struct LogPart {
  LogChunk chunk;
  uint64_t number = 0;  ///< order among all parts
  uint64_t size = 0;    ///< what it counts in its attempt
};
struct WholeJob {
  StoredJob job;
  std::optional<std::string> held;
  std::vector<std::string> blobs;  ///< that it refers to, by their hash
  std::vector<LogPart> log;
};
struct WholeSchedule {
  StoredSchedule schedule;  ///< with all of its history that is kept
  uint64_t history_from = 1;
  std::optional<int64_t> deleted_ms;  ///< since when a sweep knows that it was deleted
};
struct WaitNumber {
  TallyKey key;
  TallyChange count;
};
struct Blob {
  AccountId account;
  std::string sha256;
  int64_t put_ms = 0;
  bool unused = false;
  std::string bytes;
};
struct Bulk {
  BulkRecord record;
  std::vector<std::string> items;
};
struct PolicyRevision {
  uint64_t revision = 0;
};
struct PolicySnapshot {
  std::string hash;
  Value effective;
};
struct PolicyHit {
  AccountId account;
  RuleHits hits;
};
struct Usage {
  AccountId account;
  DaySpent spent;
};
struct Marked {
  RunId run;
  MessageMark mark;
};
struct Removed {
  AccountId account;
  AuditRoot root;
};

using Thing =
    std::variant<Definition, Orphan, Workflow, WorkflowRules, KeyRecord, CredentialRecord,
                 IdempotencyMark, AccountRecord, SavedView, WholeRun, WholeJob, WholeSchedule,
                 WaitRecord, WaitNumber, ApprovalRecord, Delivery, SignalRecord, SignalReached,
                 Contact, DeadLetterEntry, Blob, fleet::RegistrationRecord, Bulk, PolicyRevision,
                 PolicyDocument, PolicySnapshot, PolicyVersion, job::PolicyDecision, PolicyHit,
                 StoredPools, Usage, OutboxRow, Marked, AuditEntry, Removed>;

struct Item {
  uint64_t number = 0;  ///< its place in the order of its kind; 0 where there is none
  Thing thing;
};
using Take = std::function<Outcome<void>(const Item&)>;

/// Where a store has gone.
struct Moved {
  std::string token;  ///< of the move, the same on both sides
  std::string to;     ///< for people; without a password
};

/// The store that is left. Used by one thread, beside everybody who uses the store.
class Source {
 public:
  virtual ~Source() = default;
  /// By which its moves are known: the same until it was left.
  virtual Outcome<std::string> token() = 0;
  /// From now on notes what changes, and sees the state of this moment.
  virtual Outcome<void> begin() = 0;
  /// Everything in that state, kind by kind, in order.
  virtual Outcome<void> all(const Take& take) = 0;
  /// Goes on to the state of this moment; answers what has changed since the one before.
  virtual Outcome<std::vector<Key>> step() = 0;
  /// Those of them that are there, in the order of the keys.
  virtual Outcome<void> some(std::span<const Key> keys, const Take& take) = 0;
  /// Nobody writes from now on until it is released or left.
  virtual void hold() = 0;
  virtual void release() = 0;
  /// While held: writes durably where the store has gone. It takes no write any more, now or later.
  virtual Outcome<void> leave(const Moved& moved) = 0;
};

/// The store that is filled. Nobody may use it before `finish`.
class Target {
 public:
  virtual ~Target() = default;
  /// How far a move of this token has come.
  enum class State : uint8_t { none, copying, ready };
  virtual Outcome<State> state(const std::string& token) = 0;
  /// Takes the store for this move, and empties it of what an unfinished one has left. Fails where
  /// the store holds anything else, or another process uses it.
  virtual Outcome<void> begin(const std::string& token, const std::string& from) = 0;
  /// What was put under these keys goes.
  virtual Outcome<void> remove(std::span<const Key> keys) = 0;
  virtual Outcome<void> put(const Item& item) = 0;
  /// What was put is there when it returns.
  virtual Outcome<void> flush() = 0;
  /// Begins to sum up what should be there; `put` and `expect` add to it.
  virtual void begin_sum() = 0;
  virtual Outcome<void> expect(const Item& item) = 0;
  /// Compares counts and digests of what is there with what should be, all of it or what these keys
  /// name. Fails with data_damaged where they differ.
  virtual Outcome<void> compare_all() = 0;
  virtual Outcome<void> compare(std::span<const Key> keys) = 0;
  /// From now on everything here fails that has not ended after so many milliseconds; 0: nothing
  /// does. Others wait for it.
  virtual void end_within(int64_t ms) = 0;
  /// Everything is there.
  virtual Outcome<void> ready() = 0;
  /// The other store was left: this one may be used.
  virtual Outcome<void> finish(const std::string& token) = 0;
};

}  // namespace fermata::transfer
