#include "adapters/grpc_policy/grpc_output.h"

#include <output_policy.grpc.pb.h>

#include <algorithm>
#include <cmath>

#include "adapters/grpc_policy/askings.h"
#include "adapters/grpc_policy/texts.h"

namespace fermata {

namespace output_wire = cordum::v1;

namespace {

constexpr std::string_view blob_scheme = "sha256:";

output_wire::OutputCheckRequest output_to_wire(const OutputQuestion& question) {
  const job::Request& request = question.request;
  output_wire::OutputCheckRequest out;
  out.set_job_id(question.job.text());
  out.set_topic(request.topic);
  out.set_tenant(question.account.text());
  put_texts(request.labels, *out.mutable_labels());
  put_texts(request.labels, *out.mutable_original_labels());
  out.set_result_ptr(std::string(blob_scheme) + question.sha256);
  for (const job::Artifact& artifact : question.artifacts)
    out.add_artifact_ptrs(std::string(blob_scheme) + artifact.sha256);
  out.set_worker_id(question.worker.text());
  out.set_execution_ms(question.execution_ms);
  out.set_output_size_bytes(static_cast<int64_t>(question.bytes));
  out.set_content_hash(question.sha256);
  out.set_workflow_id(request.step.workflow.text());
  out.set_step_id(request.step.step_id);
  out.set_output_content(question.content);
  if (!request.capability.empty()) out.add_capabilities(request.capability);
  for (const std::string& tag : request.risk_tags) out.add_risk_tags(tag);
  out.set_principal_id(request.principal_id);
  out.set_pack_id(request.pack_id);
  out.set_content_type("application/json");
  return out;
}

job::Severity severity_of(const std::string& name) {
  for (auto severity : {job::Severity::low, job::Severity::high, job::Severity::critical})
    if (name == name_of(severity)) return severity;
  return job::Severity::medium;
}

/// Where something was found, never what: `detail` and `matched_pattern` stay outside (J-49).
job::OutputFinding finding_of(const output_wire::OutputFinding& from) {
  job::OutputFinding finding;
  finding.scanner = from.scanner();
  finding.type = from.type();
  finding.severity = severity_of(from.severity());
  double confidence = std::isfinite(from.confidence()) ? from.confidence() : 0;
  finding.confidence = static_cast<uint32_t>(std::lround(std::clamp(confidence, 0.0, 1.0) * 100));
  finding.offset = static_cast<uint64_t>(std::max<int64_t>(from.offset(), 0));
  finding.length = static_cast<uint64_t>(std::max<int64_t>(from.length(), 0));
  return finding;
}

std::optional<job::OutputDecision> decision_of(output_wire::OutputDecision decision) {
  switch (decision) {
    case output_wire::OUTPUT_DECISION_ALLOW: return job::OutputDecision::allow;
    case output_wire::OUTPUT_DECISION_QUARANTINE: return job::OutputDecision::quarantine;
    case output_wire::OUTPUT_DECISION_REDACT: return job::OutputDecision::redact;
    default: return std::nullopt;
  }
}

OutputAnswer output_from_wire(const output_wire::OutputCheckResponse& response) {
  OutputAnswer answer;
  answer.kernel_snapshot = response.policy_snapshot();
  auto decision = decision_of(response.decision());
  if (!decision) {
    answer.kind = OutputAnswer::Kind::unknown;
    answer.reason = "the output kernel answers decision " + std::to_string(response.decision()) +
                    ", which is none that is known";
    return answer;
  }
  answer.kind = OutputAnswer::Kind::verdict;
  job::OutputVerdict& verdict = answer.verdict;
  verdict.decision = *decision;
  verdict.rule_id = response.rule_id();
  verdict.reason = response.reason();
  verdict.found = static_cast<uint64_t>(response.findings_size());
  for (const output_wire::OutputFinding& finding : response.findings()) {
    if (verdict.findings.size() >= job::findings_kept_max) break;
    verdict.findings.push_back(finding_of(finding));
    verdict.severity = std::max(verdict.severity, verdict.findings.back().severity);
  }
  const std::string& pointer = response.redacted_ptr();
  if (pointer.starts_with(blob_scheme)) answer.redacted_sha256 = pointer.substr(blob_scheme.size());
  return answer;
}

OutputAnswer answer_of(const output_wire::OutputCheckResponse& response,
                       const grpc::Status& status) {
  if (status.ok()) return output_from_wire(response);
  OutputAnswer answer;
  if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
    // It was asked, and it could not make sense of the question: that is no outage (J-30).
    answer.kind = OutputAnswer::Kind::unknown;
    answer.reason = "the output kernel refuses the question: " + status.error_message();
  } else {
    answer.reason = "output kernel: " + status.error_message();
  }
  return answer;
}

}  // namespace

struct GrpcOutput::Shared {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<output_wire::OutputPolicyService::Stub> stub;
  Askings<output_wire::OutputCheckRequest, output_wire::OutputCheckResponse, OutputAnswer> askings;
};

GrpcOutput::GrpcOutput(const KernelAddress& address, std::function<void()> on_answer)
    : shared_(std::make_unique<Shared>()) {
  shared_->askings.on_answer = std::move(on_answer);
  shared_->channel = open_channel(address);
  shared_->stub = output_wire::OutputPolicyService::NewStub(shared_->channel);
}

GrpcOutput::~GrpcOutput() { shared_->askings.end(); }

void GrpcOutput::submit(OutputQuestion question) {
  auto asking =
      shared_->askings.begin(question.ticket, output_to_wire(question), question.timeout_ms);
  shared_->stub->async()->CheckOutput(&asking->context, &asking->request, &asking->response,
                                      [shared = shared_.get(), asking](grpc::Status status) {
                                        shared->askings.ended(asking,
                                                              answer_of(asking->response, status));
                                      });
}

std::vector<OutputAnswer> GrpcOutput::harvest() { return shared_->askings.harvest(); }

}  // namespace fermata
