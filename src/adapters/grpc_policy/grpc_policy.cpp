#include "adapters/grpc_policy/grpc_policy.h"

#include <safety.grpc.pb.h>

#include "adapters/grpc_policy/askings.h"
#include "adapters/grpc_policy/question.h"

namespace fermata {

namespace wire = cordum::agent::v1;

namespace {

PolicyAnswer answer_of(const wire::PolicyCheckResponse& response, const grpc::Status& status) {
  if (status.ok()) return from_wire(response);
  PolicyAnswer answer;
  if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
    // It was asked, and it could not make sense of the question: that is no outage (J-30).
    answer.kind = PolicyAnswer::Kind::unknown;
    answer.reason = "the kernel refuses the question: " + status.error_message();
  } else {
    answer.reason = "safety kernel: " + status.error_message();
  }
  return answer;
}

}  // namespace

struct GrpcPolicy::Shared {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<wire::SafetyKernel::Stub> stub;
  Askings<wire::PolicyCheckRequest, wire::PolicyCheckResponse, PolicyAnswer> askings;
};

GrpcPolicy::GrpcPolicy(const KernelAddress& address, std::function<void()> on_answer)
    : shared_(std::make_unique<Shared>()) {
  shared_->askings.on_answer = std::move(on_answer);
  shared_->channel = open_channel(address);
  shared_->stub = wire::SafetyKernel::NewStub(shared_->channel);
}

GrpcPolicy::~GrpcPolicy() { shared_->askings.end(); }

void GrpcPolicy::submit(PolicyQuestion question) {
  auto asking = shared_->askings.begin(question.ticket, to_wire(question), question.timeout_ms);
  shared_->stub->async()->Check(&asking->context, &asking->request, &asking->response,
                                [shared = shared_.get(), asking](grpc::Status status) {
                                  shared->askings.ended(asking,
                                                        answer_of(asking->response, status));
                                });
}

std::vector<PolicyAnswer> GrpcPolicy::harvest() { return shared_->askings.harvest(); }

}  // namespace fermata
