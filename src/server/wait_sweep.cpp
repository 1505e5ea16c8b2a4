#include "server/wait_sweep.h"

#include <set>

#include "core/run/wait_gate.h"
#include "server/api.h"

namespace fermata::server {
namespace {

constexpr size_t page_waits = 1'000;
constexpr int rounds_max = 20;
constexpr std::chrono::milliseconds patience(10'000);

/// True when the sweep has something to do to the wait.
bool concerns(const WaitSweep& sweep, const Wait& wait) {
  // What a script waits for cannot be held apart from it.
  if (wait.source == WaitSource::flow && sweep.action != "cancel") return false;
  if (sweep.action == "release") return wait.hold == sweep.hold;
  if (sweep.action == "hold") return wait.hold.empty() || wait.hold == "run_paused";
  return !sweep.typed_only || is_typed(wait);
}

struct Selection {
  std::vector<std::string> waits;
  std::set<RunId> runs;
};

Outcome<Selection> select(Api& api, const WaitSweep& sweep) {
  WaitFilter filter;
  filter.account = sweep.account;
  filter.workflow = sweep.workflow;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  if (sweep.action == "release") filter.on_hold = true;
  Selection out;
  WaitStart start;
  do {
    FERMATA_TRY(page, api.reader().list_waits(filter, page_waits, start));
    for (const WaitRecord& record : page.items) {
      if (!concerns(sweep, record.wait)) continue;
      out.waits.push_back(record.wait.id);
      out.runs.insert(record.run);
    }
    start.cursor = page.next_cursor;
  } while (!start.cursor.empty() && out.waits.size() < api.options().bulk_items_max);
  return out;
}

/// One sweep on its way: rounds until a round finds nothing, since a turn of the engine that began
/// before the rule was in force may end after a round has looked.
class Sweeping : public std::enable_shared_from_this<Sweeping> {
 public:
  using Done = std::function<void(const Outcome<Swept>&)>;
  Sweeping(Api& api, WaitSweep sweep, Done done)
      : api_(api), sweep_(std::move(sweep)), done_(std::move(done)) {}

  void begin() {
    api_.deadlines().after(patience, [self = shared_from_this()] { self->answer(); });
    round();
  }

 private:
  void round() {
    auto selection = select(api_, sweep_);
    if (!selection) return answer(Failure{selection.error()});
    if (selection->waits.empty() || ++rounds_ > rounds_max) {
      forget_bulk();
      return answer();
    }
    BulkRecord record = record_of(*selection);
    AuditLine line{sweep_.account,
                   api_.now(),
                   sweep_.actor,
                   "waits." + sweep_.action,
                   sweep_.workflow.text(),
                   sweep_.reason,
                   Value::object({{"bulk_id", record.id}, {"count", selection->waits.size()}})};
    {
      std::lock_guard lock(mutex_);
      swept_.bulk_id = record.id;
      runs_.merge(selection->runs);
    }
    auto begun = api_.bulk().begin(record, selection->waits, line);
    if (!begun) return answer(Failure{begun.error()});
    auto ended = [self = shared_from_this()](const BulkRecord& bulk) { self->ended(bulk); };
    if (!api_.bulk().on_end(record.id, ended))
      api_.pool().submit_owed([ended, record] { ended(record); });
  }

  BulkRecord record_of(const Selection& selection) {
    BulkRecord record;
    record.id = api_.new_uuid_v7();
    record.account = sweep_.account;
    record.kind = "swept_waits";
    record.action = sweep_.action;
    record.parameters = Value::object({{"hold", sweep_.hold}});
    record.actor = sweep_.actor;
    record.reason = sweep_.reason;
    record.created_at = api_.now();
    record.matched = selection.waits.size();
    return record;
  }

  void ended(const BulkRecord& bulk) {
    {
      std::lock_guard lock(mutex_);
      swept_.waits += bulk.done;
    }
    if (bulk.state == BulkState::stopped || bulk.done == 0) {
      forget_bulk();
      return answer();
    }
    round();
  }

  void forget_bulk() {
    std::lock_guard lock(mutex_);
    swept_.bulk_id.clear();
  }

  void answer() {
    std::unique_lock lock(mutex_);
    swept_.executions = runs_.size();
    Swept told = swept_;
    lock.unlock();
    answer(std::move(told));
  }
  void answer(const Outcome<Swept>& told) {
    Done done;
    {
      std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
    }
    if (done) done(told);
  }

  Api& api_;
  const WaitSweep sweep_;
  std::mutex mutex_;
  Done done_;
  Swept swept_;
  std::set<RunId> runs_;
  int rounds_ = 0;
};

CommandBody command_for(const BulkRecord& bulk, const std::string& wait) {
  const Value& hold = bulk.parameters.get("hold");
  std::string reason(hold.is_string() ? hold.as_string() : std::string_view());
  if (bulk.action == "hold") return HoldWaits{wait, std::move(reason)};
  if (bulk.action == "release") return ReleaseWaits{wait, std::move(reason)};
  return CancelRun{"workflow_deactivated"};
}

void sweep_quietly(Api& api, WaitSweep sweep) {
  sweep_waits(api, std::move(sweep), [](const Outcome<Swept>&) {});
}

}  // namespace

void sweep_waits(Api& api, WaitSweep sweep, std::function<void(const Outcome<Swept>&)> done) {
  std::make_shared<Sweeping>(api, std::move(sweep), std::move(done))->begin();
}

Outcome<void> resume_sweeps(Api& api) {
  std::shared_ptr<const AccountTable> known = api.account_book().accounts();
  for (const auto& [account, settings] : known->settings)
    if (!settings->waits.resumes_off)
      sweep_quietly(api, {.account = account, .action = "release", .hold = "resumes_off"});
  for (const auto& [key, rules] : known->rules) {
    WaitSweep sweep{.account = key.first, .workflow = key.second};
    sweep.hold = "workflow_inactive";
    sweep.action = rules.inactive == OnInactive::active ? "release" : "cancel";
    if (rules.inactive == OnInactive::hold) sweep.action = "hold";
    sweep.typed_only = rules.inactive == OnInactive::standard;
    if (rules.inactive != OnInactive::keep) sweep_quietly(api, std::move(sweep));
  }
  return {};
}

void act_on_swept_wait(Api& api, const BulkRecord& bulk, const std::string& item, bool /*repeated*/,
                       BulkDone done) {
  auto found = api.reader().find_wait(item);
  if (!found) return done(Failure{std::move(found).error()});
  // What has ended meanwhile, or gone with another wait of its run, is as it should be.
  if (!*found || !is_pending((*found)->wait.status)) return done({});
  Command command{(*found)->run, command_for(bulk, item), bulk.actor};
  bool taken = api.intake().submit(std::move(command), [done](const Outcome<RunSummary>& outcome) {
    if (outcome) return done({});
    ErrorCode code = outcome.error().code;
    bool over = code == ErrorCode::wait_ended || code == ErrorCode::run_finished;
    if (over) return done({});
    done(Failure{outcome.error()});
  });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace fermata::server
