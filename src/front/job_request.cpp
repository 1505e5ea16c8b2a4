#include "front/job_request.h"

#include <algorithm>

#include "core/job/request_hash.h"
#include "core/job/request_read.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

std::string text_of(const Value& body, std::string_view name) {
  const Value& text = body.get(name);
  return text.is_string() ? std::string(text.as_string()) : std::string();
}

void read_id(const Value& body, const std::string& path, JobSubmission& out,
             std::vector<Finding>& findings) {
  const Value& id = body.get("id");
  if (id.is_null()) return;
  out.id = JobId(text_of(body, "id"));
  for (Finding& finding : job::check_job_id(out.id.text(), path + "/id"))
    findings.push_back(std::move(finding));
}

void read_key(const std::string& header, const std::string& path, job::Request& request,
              std::vector<Finding>& findings) {
  if (header.empty()) return;
  std::string& key = request.idempotency_key;
  if (!key.empty() && key != header)
    findings.push_back({"invalid_field",
                        path + "/idempotency_key",
                        "The header Idempotency-Key says otherwise.",
                        {}});
  if (header.size() > job::idempotency_key_bytes_max)
    findings.push_back({"invalid_field",
                        path + "/idempotency_key",
                        "The header Idempotency-Key has at most " +
                            std::to_string(job::idempotency_key_bytes_max) + " bytes.",
                        {}});
  key = header;
}

}  // namespace

Outcome<JobSubmission> read_job(const Value& body, const JobSubmitter& who,
                                const std::string& idempotency_header,
                                const job::RequestLimits& limits, const std::string& path) {
  JobSubmission out;
  auto read = job::read_request(body, who.owner, limits, {"id", "account_id"}, path);
  read_id(body, path, out, read.findings);
  read_key(idempotency_header, path, read.request, read.findings);
  if (!read.findings.empty()) return refuse(std::move(read.findings));
  if (const Value& account = body.get("account_id");
      !account.is_null() && account != Value(who.account.text()))
    return fail(ErrorCode::account_mismatch, "The key belongs to another account.");
  const std::string& key = read.request.idempotency_key;
  if (out.id.empty() && !key.empty()) out.id = job::job_id_of_key(who.account, key);
  out.submit.account = who.account;
  out.submit.source = job::Source::api;
  out.submit.submitter = who.key_id + ":" + read.request.actor.id;
  out.submit.request = std::move(read.request);
  return out;
}

Outcome<job::AmendJob> read_amend(const Value& body) {
  Fields fields(body);
  job::AmendJob amend;
  if (const Value* topic = fields.any("topic"); topic && !topic->is_null()) {
    if (topic->is_string()) {
      amend.topic = std::string(topic->as_string());
    } else {
      fields.wrong("topic", "A text is expected.");
    }
  }
  if (const Value* input = fields.any("input")) amend.input = job::Payload::of(*input);
  if (Value labels = fields.object("labels"); labels.is_object()) amend.labels = labels;
  if (Value budget = fields.object("budget"); budget.is_object()) {
    std::vector<Finding> findings;
    amend.budget = job::read_budget(budget, findings, "/budget");
    fields.add(std::move(findings));
  }
  FERMATA_TRY_VOID(fields.finish());
  if (!amend.topic && !amend.input && !amend.labels && !amend.budget)
    return fail(ErrorCode::invalid_field, "Nothing is amended.",
                {{"invalid_field", "", "At least one of topic, input, labels, budget.", {}}});
  return amend;
}

}  // namespace fermata::front
