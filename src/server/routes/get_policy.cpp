#include "core/policy/judge.h"
#include "front/fields.h"
#include "front/policy_request.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"
#include "server/routes/policy_routes.h"

/// What is in force and what it has done.
namespace fermata::server::routes {

namespace {

using HitsByRule = std::map<std::pair<std::string, std::string>, RuleHits>;
using LatelyByRule = std::map<PolicyHits::RuleName, PolicyHits::Hits>;

/// {day, month, days[30]}: how often in the last 24 hours, in 30 days and on each of them (U-44).
Value lately_value(const LatelyByRule& lately, const std::string& bundle, const std::string& rule) {
  static const PolicyHits::Hits none;
  auto found = lately.find({bundle, rule});
  const PolicyHits::Hits& hits = found == lately.end() ? none : found->second;
  Value days = Value::array();
  for (size_t i = 0; i < static_cast<size_t>(PolicyHits::days_kept); ++i)
    days.push(i < hits.days.size() ? hits.days[i] : 0);
  return Value::object({{"day", hits.day}, {"month", hits.month}, {"days", std::move(days)}});
}

Value document_lead(const PolicyDocument& document) {
  return Value::object({{"revision", document.revision},
                        {"at", to_rfc3339(document.at)},
                        {"by", document.by},
                        {"origin", document.origin}});
}

Value rule_item(policy::Layer layer, const policy::CompiledDocument& document, size_t position,
                const HitsByRule& hits, const LatelyByRule& lately) {
  const policy::Rule& rule = document.rules.rules()[position];
  Value out = Value::object({{"layer", policy::name_of(layer)},
                             {"bundle", document.id},
                             {"rule_id", rule.id},
                             {"decision", job::name_of(rule.decision)},
                             {"reason", rule.reason}});
  auto found = hits.find({document.id, rule.id});
  out.set("hits", found == hits.end() ? 0 : found->second.hits);
  out.set("never_matched", found == hits.end());
  out.set("lately", lately_value(lately, document.id, rule.id));
  out.set("last_hit_at", found == hits.end() ? Value() : Value(to_rfc3339(found->second.last_at)));
  std::string shadow = document.rules.shadowed_by(position);
  out.set("shadowed_by", shadow.empty() ? Value() : Value(shadow));
  return out;
}

void add_rules(policy::Layer layer, const policy::DocumentPtr& document, const HitsByRule& hits,
               const LatelyByRule& lately, Value& items) {
  if (!document) return;
  for (size_t i = 0; i < document->rules.rules().size(); ++i)
    items.push(rule_item(layer, *document, i, hits, lately));
}

Outcome<Value> rules_value(Api& api, const AccountId& account) {
  FERMATA_TRY(list, api.policy().store().rule_hits(account));
  HitsByRule hits;
  for (RuleHits& one : list) hits.emplace(std::pair(one.bundle, one.rule_id), one);
  LatelyByRule lately = api.hub().policy_hits().hits(account, api.now());
  policy::PolicyPtr set = api.policy().current();
  const policy::AccountPolicy& policy = set->of(account);
  Value items = Value::array();
  add_rules(policy::Layer::invariants, policy.invariants, hits, lately, items);
  for (const auto& bundle : policy.bundles)
    add_rules(policy::Layer::bundle, bundle, hits, lately, items);
  add_rules(policy::Layer::base, policy.base, hits, lately, items);
  auto fallback = hits.find({"", ""});
  return Value::object({{"snapshot", policy.snapshot},
                        {"default_hits", fallback == hits.end() ? 0 : fallback->second.hits},
                        {"default_lately", lately_value(lately, "", "")},
                        {"counted_since", to_rfc3339(api.hub().policy_hits().since())},
                        {"items", std::move(items)}});
}

Outcome<Value> versions_value(Api& api, const Call& call) {
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page,
              api.policy().store().policy_versions(call.who.account, paging.limit, paging.cursor));
  std::string active = api.policy().current()->of(call.who.account).snapshot;
  Value items = Value::array();
  for (const PolicyVersion& version : page.items)
    items.push(Value::object({{"snapshot", version.snapshot},
                              {"at", to_rfc3339(version.at)},
                              {"by", version.by},
                              {"reason", version.reason},
                              {"origin", version.origin},
                              {"account_id", version.account.text()},
                              {"active", version.snapshot == active}}));
  return page_value(std::move(items), page.next_cursor);
}

Outcome<Value> decisions_page(Api& api, const Call& call, const DecisionFilter& filter) {
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.policy().store().decisions(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const job::PolicyDecision& decision : page.items)
    items.push(front::decision_value(decision));
  return page_value(std::move(items), page.next_cursor);
}

Outcome<Value> decisions_value(Api& api, const Call& call) {
  FERMATA_TRY(filter, front::read_decision_filter(call.query, call.who.account));
  return decisions_page(api, call, filter);
}

Outcome<Value> job_decisions_value(Api& api, const Call& call) {
  FERMATA_TRY(job, own_job(api, call));
  DecisionFilter filter;
  filter.account = call.who.account;
  filter.job = job.id;
  return decisions_page(api, call, filter);
}

Outcome<Value> policy_value(Api& api, const Call& call) {
  Value out = policy_status(api, call.who.account);
  std::string wanted;
  for (const auto& [name, value] : call.query)
    if (name == "snapshot") wanted = value;
  if (wanted.empty()) {
    out.set("effective", api.policy().current()->of(call.who.account).effective);
    return out;
  }
  FERMATA_TRY(effective, front::own_snapshot(api.policy().store(), call.who.account, wanted));
  out.set("snapshot", wanted);
  out.set("effective", std::move(effective));
  return out;
}

void answer_policy(Api& api, const Call& call, Outcome<Value> value) {
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace

Value policy_status(Api& api, const AccountId& account) {
  policy::PolicyPtr set = api.policy().current();
  const policy::AccountPolicy& policy = set->of(account);
  front::PolicyBoard::Status status = api.policy().status();
  StoredPolicy stored = api.policy().stored();
  Value documents = Value::object();
  for (const PolicyDocument& one : stored.documents)
    if (one.kind != policy::DocumentKind::bundle)
      documents.set(policy::name_of(one.kind), document_lead(one));
  Value out = Value::object(
      {{"snapshot", policy.snapshot},
       {"in_force", !policy.none()},
       {"judged_by", name_of(api.options().policy.mode)},
       {"fail_mode", job::name_of(policy::fail_mode_of(policy, api.options().policy.fail_mode))},
       {"file", status.file_present ? Value(status.file) : Value()},
       {"documents", std::move(documents)},
       {"bundles", policy.bundles.size()}});
  if (!status.failure) {
    out.set("load_failed", Value());
    return out;
  }
  Value findings = Value::array();
  for (const Finding& finding : status.failure->findings)
    findings.push(Value::object({{"path", finding.path},
                                 {"line", finding.line},
                                 {"column", finding.column},
                                 {"message", finding.message}}));
  out.set("load_failed", Value::object({{"at", to_rfc3339(status.failed_at)},
                                        {"message", status.failure->message},
                                        {"errors", std::move(findings)}}));
  return out;
}

void get_policy(Api& api, Call call) { answer_policy(api, call, policy_value(api, call)); }

void list_policy_rules(Api& api, Call call) {
  answer_policy(api, call, rules_value(api, call.who.account));
}

void list_policy_versions(Api& api, Call call) {
  answer_policy(api, call, versions_value(api, call));
}

void list_policy_bundles(Api& api, Call call) {
  Value items = Value::array();
  StoredPolicy stored = api.policy().stored();
  for (const PolicyDocument& one : stored.documents) {
    if (one.kind != policy::DocumentKind::bundle || one.account != call.who.account) continue;
    Value item = document_lead(one);
    item.set("id", one.id);
    item.set("position", one.position);
    item.set("document", one.document);
    items.push(std::move(item));
  }
  call.send_json(200, page_value(std::move(items), ""));
}

void list_decisions(Api& api, Call call) { answer_policy(api, call, decisions_value(api, call)); }

void list_job_decisions(Api& api, Call call) {
  answer_policy(api, call, job_decisions_value(api, call));
}

/// The windows of velocity rules as they are now; those of other accounts' keys are not shown.
void list_velocity(Api& api, Call call) {
  visit_workers(api, std::move(call), [&api](Workers& workers, const Call& asked) {
    constexpr size_t shown_max = 1'000;
    Value items = Value::array();
    for (const auto& window : workers.windows().shown("", api.now(), shown_max)) {
      auto key = parse_json(window.key);
      if (!key) continue;
      bool own = false;
      for (size_t i = 4; i + 1 < key->size(); i += 2)
        own = own || (key->items()[i] == Value("tenant") &&
                      key->items()[i + 1] == Value(asked.who.account.text()));
      if (!own) continue;
      items.push(Value::object({{"layer", key->items()[0]},
                                {"bundle", key->items()[2]},
                                {"rule_id", key->items()[3]},
                                {"key", *key},
                                {"window_ms", window.window_ms},
                                {"jobs", window.jobs},
                                {"oldest_at", to_rfc3339(window.oldest)}}));
    }
    asked.send_json(200, Value::object({{"readable", workers.windows().readable()},
                                        {"items", std::move(items)}}));
  });
}

}  // namespace fermata::server::routes
