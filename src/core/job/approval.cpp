#include "base/hash.h"
#include "base/json.h"
#include "core/job/request_hash.h"
#include "core/job/step.h"

/// What an approval is made of (jobs.md §4).
namespace fermata::job {

namespace {

constexpr int64_t approvals_max = 5;

/// With the hash of what is there, not the one that stands beside it.
Payload looked_at(const Payload& payload) {
  if (payload.in_blob) return payload;
  Payload seen = payload;
  seen.sha256 = sha256_hex(to_canonical_json(payload.value));
  return seen;
}

}  // namespace

Approval asked_approval(const Step& step, const Verdict& verdict, std::string request_hash) {
  Approval approval;
  approval.request_hash = std::move(request_hash);
  const Value& roles = verdict.approval.get("roles");
  if (roles.is_array())
    for (const Value& role : roles.items())
      if (role.is_string()) approval.roles.emplace_back(role.as_string());
  const Value& count = verdict.approval.get("count");
  if (count.is_integer() && count.as_integer() >= 1 && count.as_integer() <= approvals_max)
    approval.count = static_cast<uint32_t>(count.as_integer());
  const Value& expires = verdict.approval.get("expires_ms");
  approval.expires_ms =
      expires.is_integer() ? expires.as_integer() : step.given.limits.approval_expires_ms;
  approval.asked_at = step.at;
  approval.expires_at = step.at + Duration{*approval.expires_ms};
  return approval;
}

bool same_terms(const Verdict& verdict, const Approval& now, const Job& before) {
  if (!before.approval || !before.verdict) return false;
  const Approval& pinned = *before.approval;
  return before.verdict->rule_id == verdict.rule_id && before.verdict->bundle == verdict.bundle &&
         pinned.roles == now.roles && pinned.count == now.count &&
         pinned.expires_ms == now.expires_ms && pinned.request_hash == now.request_hash;
}

std::string stored_hash(const Job& job) {
  Request request = job.request;
  request.input = looked_at(request.input);
  if (request.compensation && request.compensation->input)
    request.compensation->input = looked_at(*request.compensation->input);
  return request_hash(job.account, request);
}

void release_approved(Step& step, Verdict verdict) {
  verdict.source = "approval";
  Judged said(verdict);
  said.verdict.kind = VerdictKind::allow;
  log_decision(step, said);
  step.emit(JobApproved{std::move(verdict), queue_limit(step), give_up_limit(step)});
  step.effect(OfferJob{});
}

}  // namespace fermata::job
