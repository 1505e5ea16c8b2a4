#include "front/policy_rehearsal.h"

#include <map>
#include <set>

#include "core/job/history.h"

namespace fermata::front {

using job::VerdictKind;

namespace {

constexpr size_t rehearsed_list_max = 1'000;
constexpr size_t rehearsed_page = 1'000;

/// Newest first as the log gives them; the caller turns them round.
Outcome<std::vector<job::PolicyDecision>> past(PolicyStore& store, const DecisionFilter& filter,
                                               size_t limit) {
  std::vector<job::PolicyDecision> out;
  std::string cursor;
  do {
    size_t more = std::min(rehearsed_page, limit - out.size());
    FERMATA_TRY(page, store.decisions(filter, more, cursor));
    for (job::PolicyDecision& decision : page.items) out.push_back(std::move(decision));
    cursor = page.next_cursor;
  } while (!cursor.empty() && out.size() < limit);
  return out;
}

struct Tally {
  uint64_t total = 0;
  uint64_t same = 0;
  uint64_t stricter = 0;
  uint64_t milder = 0;
  std::map<std::pair<std::string, std::string>, uint64_t> rules;
  Value changes = Value::array();
};

void compare(Tally& tally, const job::PolicyDecision& was, const job::Verdict& would) {
  ++tally.total;
  ++tally.rules[{would.bundle, would.rule_id}];
  if (would.kind == was.decision) {
    ++tally.same;
    return;
  }
  ++(would.kind > was.decision ? tally.stricter : tally.milder);
  if (tally.changes.size() >= rehearsed_list_max) return;
  tally.changes.push(Value::object({{"job_id", was.job.text()},
                                    {"topic", was.topic},
                                    {"at", to_rfc3339(was.at)},
                                    {"was", job::name_of(was.decision)},
                                    {"was_rule", was.rule_id},
                                    {"would_be", job::name_of(would.kind)},
                                    {"rule", would.rule_id}}));
}

Outcome<void> judge_past(PolicyStore& store, const RehearsalRequest& request, Tally& tally,
                         policy::Windows& windows) {
  FERMATA_TRY(decisions, past(store, request.filter, request.limit));
  for (auto was = decisions.rbegin(); was != decisions.rend(); ++was) {
    // People's votes are not policy's to repeat.
    if (was->source == "approval" || was->facts.is_null()) continue;
    auto facts = policy::read_facts(was->facts, was->account);
    if (!facts) continue;
    job::Judged judged =
        policy::judge(request.candidate->of(was->account), *facts, was->job, windows, was->at);
    for (const job::VelocityCount& passed : judged.counted)
      windows.count(passed, was->job, was->at);
    compare(tally, *was, judged.verdict);
  }
  return {};
}

struct Waiting {
  Value affected = Value::array();
  std::set<std::string> stalled;
  Value undo_blocked = Value::array();
};

/// What undoes the job, as policy would see it.
policy::Facts undo_facts(const job::Job& job) {
  const job::Compensation& undo = *job.request.compensation;
  policy::Facts facts = policy::facts_of(job);
  facts[policy::TextFact::topic] = undo.topic;
  facts[policy::TextFact::source] = job::name_of(job::Source::compensation);
  facts[policy::TextFact::priority] = job::name_of(job::Priority::critical);
  facts[policy::TextFact::capability] = undo.capability;
  facts.risk_tags = undo.risk_tags;
  facts.requires_ = undo.requires_;
  facts.labels = undo.labels.is_object() ? undo.labels : Value::object();
  return facts;
}

void look_at(const job::Job& job, const RehearsalRequest& request, const policy::Windows& windows,
             Instant now, Waiting& waiting) {
  const policy::AccountPolicy& policy = request.candidate->of(job.account);
  bool undispatched = job.state <= job::State::scheduled;
  if (undispatched && job.verdict) {
    auto would = policy::judge(policy, policy::facts_of(job), job.id, windows, now).verdict;
    if (would.kind != job.verdict->kind && waiting.affected.size() < rehearsed_list_max)
      waiting.affected.push(Value::object({{"job_id", job.id.text()},
                                           {"state", job::name_of(job.state)},
                                           {"was", job::name_of(job.verdict->kind)},
                                           {"would_be", job::name_of(would.kind)},
                                           {"rule", would.rule_id}}));
    bool stalls = would.kind > job.verdict->kind && would.kind >= VerdictKind::require_approval;
    if (stalls && job.of_run()) waiting.stalled.insert(job.request.step.run.text());
  }
  if (!job.request.compensation || waiting.undo_blocked.size() >= rehearsed_list_max) return;
  auto undo = policy::judge(policy, undo_facts(job), job.id, windows, now).verdict;
  if (undo.kind == VerdictKind::deny)
    waiting.undo_blocked.push(Value::object({{"job_id", job.id.text()},
                                             {"topic", job.request.compensation->topic},
                                             {"rule", undo.rule_id}}));
}

Outcome<void> judge_waiting(Reader& reader, const RehearsalRequest& request,
                            const policy::Windows& windows, Instant now, Waiting& waiting) {
  JobFilter filter;
  filter.account = request.account;
  filter.states = {job::State::pending,    job::State::approval_required, job::State::scheduled,
                   job::State::dispatched, job::State::running,           job::State::retrying};
  std::string cursor;
  size_t seen = 0;
  do {
    FERMATA_TRY(page, reader.list_jobs(filter, rehearsed_page, cursor));
    for (const job::Summary& summary : page.items) {
      FERMATA_TRY(stored, reader.find_job(summary.id));
      FERMATA_TRY(job, job::fold(summary.id, stored.history));
      look_at(job, request, windows, now, waiting);
      ++seen;
    }
    cursor = page.next_cursor;
  } while (!cursor.empty() && seen < request.limit);
  return {};
}

}  // namespace

Outcome<Value> rehearse(PolicyStore& store, Reader& reader, const RehearsalRequest& request,
                        Instant now) {
  Tally tally;
  Waiting waiting;
  policy::Windows windows;
  FERMATA_TRY_VOID(judge_past(store, request, tally, windows));
  FERMATA_TRY_VOID(judge_waiting(reader, request, windows, now, waiting));
  Value rules = Value::array();
  for (const auto& [rule, hits] : tally.rules)
    rules.push(Value::object({{"bundle", rule.first}, {"rule_id", rule.second}, {"hits", hits}}));
  Value stalled = Value::array();
  for (const std::string& run : waiting.stalled) stalled.push(run);
  return Value::object({{"snapshot", request.candidate->of(request.account).snapshot},
                        {"total", tally.total},
                        {"same", tally.same},
                        {"stricter", tally.stricter},
                        {"milder", tally.milder},
                        {"by_rule", std::move(rules)},
                        {"changes", std::move(tally.changes)},
                        {"pending_affected", std::move(waiting.affected)},
                        {"runs_stalled", std::move(stalled)},
                        {"undo_blocked", std::move(waiting.undo_blocked)}});
}

}  // namespace fermata::front
