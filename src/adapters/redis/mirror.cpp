#include "adapters/redis/mirror.h"

#include <algorithm>

#include "base/json.h"

namespace fermata {

namespace {

constexpr size_t commands_per_round = 2'000;
/// Of `workflow:wait:…`, refreshed while it is pending.
constexpr int64_t wait_ttl_s = 86'400;

std::string step_of(const WaitRecord& record) { return record.run.text() + ":" + record.wait.step; }

std::string seconds(Instant at) { return std::to_string(at.ms / 1'000); }

/// Without what only the parties of the wait may know: its callback.
Value shown(const WaitRecord& record) {
  const Wait& wait = record.wait;
  Value out = Value::object({{"id", wait.id},
                             {"execution_id", record.run.text()},
                             {"workflow_id", record.workflow.text()},
                             {"contact_id", record.contact_id},
                             {"step_id", wait.step},
                             {"wait_type", wait.type},
                             {"status", name_of(wait.status)},
                             {"reached_at", to_rfc3339(wait.reached_at)}});
  if (wait.due) out.set("resume_at", to_rfc3339(*wait.due));
  return out;
}

Value shown(const WaitRecord& record, const Listener& listener) {
  return Value::object({{"execution_id", record.run.text()},
                        {"workflow_id", record.workflow.text()},
                        {"step_id", record.wait.step},
                        {"wait_id", record.wait.id},
                        {"event_type", listener.event_type},
                        {"criteria", listener.criteria}});
}

}  // namespace

void Mirror::changed(std::span<const WaitRecord> records) {
  if (!is_on()) return;
  std::lock_guard lock(mutex_);
  for (const WaitRecord& record : records) {
    Key key{record.run, record.wait.id};
    changed_.insert_or_assign(key, record);
    if (!is_pending(record.wait.status)) {
      pending_.erase(key);
    } else if (pending_.size() < waits_max || pending_.contains(key)) {
      pending_.insert_or_assign(key, record);
    }
  }
}

/// Of several waits of one step, or delays of one run, the earliest counts.
void Mirror::add_times(const RedisLink& link, const RunId& run, const WaitRecord& record,
                       std::vector<RedisCommand>& commands) const {
  std::optional<Instant> of_step, of_run;
  for (auto one = pending_.lower_bound({run, ""}); one != pending_.end() && one->first.first == run;
       ++one) {
    const Wait& wait = one->second.wait;
    if (!wait.due) continue;
    if (wait.step == record.wait.step && (!of_step || *wait.due < *of_step)) of_step = wait.due;
    if (!wait.is_for_event() && (!of_run || *wait.due < *of_run)) of_run = wait.due;
  }
  auto set = [&](const std::string& key, const std::string& member, std::optional<Instant> at) {
    if (at)
      commands.push_back({"ZADD", key, seconds(*at), member});
    else
      commands.push_back({"ZREM", key, member});
  };
  if (waits_) set(link.key("workflow:scheduled_jobs"), step_of(record), of_step);
  if (delays_)
    set(link.key("cordum:wf:delay:timers"), record.workflow.text() + ":" + run.text(), of_run);
}

std::vector<RedisCommand> Mirror::commands_of(const RedisLink& link,
                                              const WaitRecord& record) const {
  std::vector<RedisCommand> commands;
  bool pending = is_pending(record.wait.status);
  add_times(link, record.run, record, commands);
  if (!waits_) return commands;
  std::string whole = link.key("workflow:wait:" + step_of(record));
  if (pending)
    commands.push_back({"SET", whole, to_json(shown(record)), "EX", std::to_string(wait_ttl_s)});
  else
    commands.push_back({"DEL", whole});
  for (const Listener& listener : record.wait.listeners) {
    std::string key =
        link.key("workflow:event_listeners:" + listener.event_type + ":" + record.contact_id);
    bool active = pending && listener.status == ListenerStatus::active;
    if (active)
      commands.push_back({"HSET", key, record.run.text(), to_json(shown(record, listener))});
    else
      commands.push_back({"HDEL", key, record.run.text()});
  }
  return commands;
}

Outcome<void> Mirror::send(RedisLink& link, bool everything) {
  std::vector<std::vector<RedisCommand>> rounds(1);
  {
    std::lock_guard lock(mutex_);
    auto add = [&](const WaitRecord& record) {
      for (RedisCommand& command : commands_of(link, record)) {
        if (rounds.back().size() >= commands_per_round) rounds.emplace_back();
        rounds.back().push_back(std::move(command));
      }
    };
    if (everything) {
      // What others have left there goes first.
      for (const char* name : {"workflow:scheduled_jobs", "cordum:wf:delay:timers"})
        rounds.back().push_back({"DEL", link.key(name)});
      for (const auto& [key, record] : pending_) add(record);
    }
    for (const auto& [key, record] : changed_) add(record);
    changed_.clear();
  }
  for (const std::vector<RedisCommand>& commands : rounds)
    if (!commands.empty()) FERMATA_TRY_VOID(link.run(commands));
  return {};
}

}  // namespace fermata
