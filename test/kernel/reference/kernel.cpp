#include <grpcpp/grpcpp.h>
#include <output_policy.grpc.pb.h>
#include <safety.grpc.pb.h>

#include <cstdio>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

/// A small policy kernel for tests: it does what the labels of the question say.
///
///   decision=N       answers this decision, known or not; without it: ALLOW
///   status=N         answers this gRPC status instead
///   sleep_ms=N       takes its time
///   echo=1           answers what it was asked as the reason
///   constrain=1      adds constraints and a remediation
///
/// About results it is told by `output_decision`, `output_status`, `output_sleep_ms`, `output_echo`
/// and `output_pointer`, which names what may be read instead.
///
/// `fermata_kernel ADDRESS SNAPSHOT [LOG [CERTIFICATE KEY]]` prints its port when it serves, and
/// adds the id of every job it is asked about to LOG, after `output ` where it is its result.
namespace {

namespace wire = cordum::agent::v1;

std::string read_text(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string told(const wire::PolicyCheckRequest& asked) {
  std::string text = "job_id=" + asked.job_id() + " topic=" + asked.topic() +
                     " tenant=" + asked.tenant() + " priority=" + std::to_string(asked.priority());
  text += " estimated_cost=" + std::to_string(asked.estimated_cost()) +
          " deadline_ms=" + std::to_string(asked.budget().deadline_ms()) +
          " max_total_tokens=" + std::to_string(asked.budget().max_total_tokens()) +
          " principal_id=" + asked.principal_id() + " memory_id=" + asked.memory_id();
  const wire::JobMetadata& meta = asked.meta();
  text += " actor=" + meta.actor_id() + "/" + std::to_string(meta.actor_type()) +
          " key=" + meta.idempotency_key() + " capability=" + meta.capability() +
          " pack_id=" + meta.pack_id();
  for (const std::string& tag : meta.risk_tags()) text += " risk=" + tag;
  for (const std::string& need : meta.requires_()) text += " requires=" + need;
  text += " size=" + std::to_string(asked.input_size_bytes()) +
          " type=" + asked.input_content_type() + " content=" + asked.input_content();
  return text;
}

void constrain(wire::PolicyCheckResponse& answer) {
  wire::PolicyConstraints& to = *answer.mutable_constraints();
  to.mutable_budgets()->set_max_runtime_ms(5'000);
  to.mutable_budgets()->set_max_retries(2);
  to.mutable_sandbox()->set_isolated(true);
  to.mutable_sandbox()->add_network_allowlist("example.org");
  to.mutable_toolchain()->add_allowed_tools("git");
  to.mutable_diff()->set_max_files(3);
  to.set_redaction_level("high");
  wire::PolicyRemediation& other = *answer.add_remediations();
  other.set_id("smaller");
  other.set_title("A smaller one");
  other.set_replacement_topic("job.small");
  (*other.mutable_add_labels())["size"] = "small";
  other.add_remove_labels("decision");
}

class Kernel final : public wire::SafetyKernel::Service {
 public:
  Kernel(std::string snapshot, const char* log) : snapshot_(std::move(snapshot)) {
    if (log) log_.open(log, std::ios::app);
  }

  grpc::Status Check(grpc::ServerContext*, const wire::PolicyCheckRequest* asked,
                     wire::PolicyCheckResponse* answer) override {
    {
      std::lock_guard lock(mutex_);
      log_ << asked->job_id() << std::endl;
    }
    auto label = [&](const char* name) -> std::string {
      auto found = asked->labels().find(name);
      return found == asked->labels().end() ? "" : found->second;
    };
    if (!label("sleep_ms").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(label("sleep_ms"))));
    if (!label("status").empty())
      return {static_cast<grpc::StatusCode>(std::stoi(label("status"))), "as it was told"};
    int decision =
        label("decision").empty() ? wire::DECISION_TYPE_ALLOW : std::stoi(label("decision"));
    answer->set_decision(static_cast<wire::DecisionType>(decision));
    answer->set_policy_snapshot(snapshot_);
    answer->set_rule_id("reference");
    answer->set_reason(label("echo").empty() ? "as its labels say" : told(*asked));
    if (!label("constrain").empty()) constrain(*answer);
    return grpc::Status::OK;
  }
  grpc::Status ListSnapshots(grpc::ServerContext*, const wire::ListSnapshotsRequest*,
                             wire::ListSnapshotsResponse* answer) override {
    answer->add_snapshots(snapshot_);
    return grpc::Status::OK;
  }

 private:
  const std::string snapshot_;
  std::mutex mutex_;
  std::ofstream log_;
};

std::string told(const cordum::v1::OutputCheckRequest& asked) {
  std::string text = "job_id=" + asked.job_id() + " topic=" + asked.topic() +
                     " tenant=" + asked.tenant() + " result_ptr=" + asked.result_ptr() +
                     " worker_id=" + asked.worker_id() +
                     " execution_ms=" + std::to_string(asked.execution_ms()) +
                     " size=" + std::to_string(asked.output_size_bytes()) +
                     " hash=" + asked.content_hash() + " workflow_id=" + asked.workflow_id() +
                     " step_id=" + asked.step_id() + " principal_id=" + asked.principal_id() +
                     " pack_id=" + asked.pack_id() + " type=" + asked.content_type();
  for (const std::string& artifact : asked.artifact_ptrs()) text += " artifact=" + artifact;
  for (const std::string& name : asked.capabilities()) text += " capability=" + name;
  for (const std::string& tag : asked.risk_tags()) text += " risk=" + tag;
  return text + " content=" + asked.output_content();
}

class Outputs final : public cordum::v1::OutputPolicyService::Service {
 public:
  Outputs(std::string snapshot, const char* log) : snapshot_(std::move(snapshot)) {
    if (log) log_.open(log, std::ios::app);
  }

  grpc::Status CheckOutput(grpc::ServerContext*, const cordum::v1::OutputCheckRequest* asked,
                           cordum::v1::OutputCheckResponse* answer) override {
    {
      std::lock_guard lock(mutex_);
      log_ << "output " << asked->job_id() << std::endl;
    }
    auto label = [&](const char* name) -> std::string {
      auto found = asked->labels().find(name);
      return found == asked->labels().end() ? "" : found->second;
    };
    if (!label("output_sleep_ms").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(label("output_sleep_ms"))));
    if (!label("output_status").empty())
      return {static_cast<grpc::StatusCode>(std::stoi(label("output_status"))), "as it was told"};
    int decision = label("output_decision").empty() ? 0 : std::stoi(label("output_decision"));
    answer->set_decision(static_cast<cordum::v1::OutputDecision>(decision));
    answer->set_policy_snapshot(snapshot_);
    answer->set_rule_id("reference");
    answer->set_reason(label("output_echo").empty() ? "as its labels say" : told(*asked));
    answer->set_redacted_ptr(label("output_pointer"));
    if (decision == 0) return grpc::Status::OK;
    cordum::v1::OutputFinding& finding = *answer->add_findings();
    finding.set_type("person");
    finding.set_severity("high");
    finding.set_detail("the name of somebody");
    finding.set_offset(3);
    finding.set_length(4);
    finding.set_scanner("names");
    finding.set_confidence(0.9);
    finding.set_matched_pattern("somebody");
    return grpc::Status::OK;
  }

 private:
  const std::string snapshot_;
  std::mutex mutex_;
  std::ofstream log_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fermata_kernel ADDRESS SNAPSHOT [LOG [CERTIFICATE KEY]]\n");
    return 2;
  }
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (count >= 6) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({read_text(words[5]), read_text(words[4])});
    credentials = grpc::SslServerCredentials(options);
  }
  const char* log = count > 3 ? words[3] : nullptr;
  Kernel kernel(words[2], log);
  Outputs outputs(words[2], log);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(words[1], credentials, &port);
  builder.RegisterService(&kernel);
  builder.RegisterService(&outputs);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port == 0) {
    std::fprintf(stderr, "fermata_kernel: cannot listen on %s\n", words[1]);
    return 1;
  }
  std::printf("%d\n", port);
  std::fflush(stdout);
  server->Wait();
  return 0;
}
