#include "front/fields.h"
#include "front/policy_rehearsal.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"
#include "server/routes/policy_routes.h"

/// Questions to policy that change nothing.
namespace fermata::server::routes {

namespace {

policy::DocumentKind kind_asked(const Value& body) {
  const Value& kind = body.get("kind");
  if (kind == Value("bundle")) return policy::DocumentKind::bundle;
  if (kind == Value("invariants")) return policy::DocumentKind::invariants;
  return policy::DocumentKind::base;
}

Value findings_value(const std::vector<Finding>& findings) {
  Value list = Value::array();
  for (const Finding& finding : findings)
    list.push(Value::object({{"code", finding.code},
                             {"path", finding.path},
                             {"message", finding.message},
                             {"line", finding.line},
                             {"column", finding.column}}));
  return list;
}

/// The facts asked about and the policy they are judged by: the candidate, or what is in force.
struct Question {
  policy::Facts facts;
  policy::PolicyPtr set;
};

Outcome<Question> question_of(Api& api, const Call& call) {
  front::Fields fields(call.body);
  const Value* asked = fields.any("facts");
  const Value* candidate = fields.any("candidate");
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY(facts, policy::read_facts(asked ? *asked : Value(), call.who.account));
  if (facts[policy::TextFact::tenant] != call.who.account.text())
    return fail(ErrorCode::account_mismatch, "/facts/tenant: the key's own account is expected.");
  Question question{std::move(facts), api.policy().current()};
  if (candidate) {
    FERMATA_TRY(set, front::candidate_policy(*candidate, question.set->sources(), call.who.account,
                                             api.policy().reader()));
    question.set = std::move(set);
  }
  return question;
}

/// On the engine's own thread, where the windows are.
void ask_policy(Api& api, Call call, bool explained) {
  auto question = question_of(api, call);
  if (!question) return api.fail(call, question.error());
  visit_workers(
      api, std::move(call),
      [&api, question = *std::move(question), explained](Workers& workers, const Call& asked) {
        const policy::AccountPolicy& policy = question.set->of(asked.who.account);
        JobId nobody("fermata.simulated");
        job::Judged judged =
            policy::judge(policy, question.facts, nobody, workers.windows(), api.now());
        Value out = front::verdict_value(judged);
        if (explained)
          out.set("rules", front::explained_value(policy::explain(policy, question.facts, nobody,
                                                                  workers.windows(), api.now())));
        asked.send_json(200, out);
      });
}

Outcome<front::RehearsalRequest> rehearsal_of(Api& api, const Call& call) {
  front::Fields fields(call.body);
  front::RehearsalRequest request;
  request.account = call.who.account;
  const Value* candidate = fields.any("candidate");
  if (!candidate)
    return fail(ErrorCode::invalid_field, "/candidate: This field is required.",
                {{"invalid_field", "/candidate", "This field is required.", {}}});
  FERMATA_TRY(set, front::candidate_policy(*candidate, api.policy().current()->sources(),
                                           call.who.account, api.policy().reader()));
  request.candidate = std::move(set);
  Value filter = fields.object("filter");
  Value asked = filter.is_object() ? std::move(filter) : Value::object();
  for (const char* name : {"from", "to"})
    if (const Value* at = fields.any(name)) asked.set(name, *at);
  fields.any("limit");
  // A misspelt `from` would rehearse all there is.
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY(read, front::read_decision_filter(asked, call.who.account));
  request.filter = std::move(read);
  if (const Value* limit = fields.any("limit")) {
    bool fits = limit->is_integer() && limit->as_integer() >= 1 &&
                limit->as_integer() <= static_cast<int64_t>(front::rehearsal_decisions_max);
    if (!fits)
      return fail(ErrorCode::invalid_field, "/limit: 1 to 100000 is expected.",
                  {{"invalid_field", "/limit", "1 to 100000 is expected.", {}}});
    request.limit = static_cast<size_t>(limit->as_integer());
  }
  return request;
}

Outcome<Value> rehearsed(Api& api, const Call& call) {
  FERMATA_TRY(request, rehearsal_of(api, call));
  return front::rehearse(api.policy().store(), api.reader(), request, api.now());
}

}  // namespace

void validate_policy(Api& api, Call call) {
  const Value* given = call.body.find("candidate");
  if (!given) given = call.body.find("document");
  auto read = front::read_policy_document(given ? *given : call.body, kind_asked(call.body),
                                          api.policy().reader());
  if (!read && read.error().code != ErrorCode::policy_invalid) return api.fail(call, read.error());
  Value out = Value::object({{"valid", static_cast<bool>(read)}});
  out.set("errors", read ? Value::array() : findings_value(read.error().findings));
  call.send_json(200, out);
}

void simulate_policy(Api& api, Call call) { ask_policy(api, std::move(call), false); }

void explain_policy(Api& api, Call call) { ask_policy(api, std::move(call), true); }

void rehearse_policy(Api& api, Call call) {
  auto value = rehearsed(api, call);
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace fermata::server::routes
