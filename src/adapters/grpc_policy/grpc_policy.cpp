#include "adapters/grpc_policy/grpc_policy.h"

#include <grpcpp/grpcpp.h>
#include <safety.grpc.pb.h>

#include <condition_variable>
#include <list>
#include <mutex>

#include "adapters/grpc_policy/question.h"

namespace fermata {

namespace wire = cordum::agent::v1;

namespace {

/// One question on its way. Lives until its callback has returned.
struct Asking {
  uint64_t ticket = 0;
  grpc::ClientContext context;
  wire::PolicyCheckRequest request;
  wire::PolicyCheckResponse response;
};

PolicyAnswer answer_of(const Asking& asking, const grpc::Status& status) {
  PolicyAnswer answer;
  if (status.ok()) {
    answer = from_wire(asking.response);
  } else if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
    // It was asked, and it could not make sense of the question: that is no outage (J-30).
    answer.kind = PolicyAnswer::Kind::unknown;
    answer.reason = "the kernel refuses the question: " + status.error_message();
  } else {
    answer.reason = "safety kernel: " + status.error_message();
  }
  answer.ticket = asking.ticket;
  return answer;
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const KernelAddress& address) {
  if (!address.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = address.authorities;
  return grpc::SslCredentials(options);
}

}  // namespace

/// What callbacks of the library use.
struct GrpcPolicy::Shared {
  std::function<void()> on_answer;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<wire::SafetyKernel::Stub> stub;

  std::mutex mutex;
  std::condition_variable idle;
  std::list<Asking> under_way;
  std::vector<PolicyAnswer> answers;

  void ended(std::list<Asking>::iterator asking, const grpc::Status& status) {
    PolicyAnswer answer = answer_of(*asking, status);
    std::function<void()> tell;
    {
      std::lock_guard lock(mutex);
      answers.push_back(std::move(answer));
      tell = on_answer;
    }
    if (tell) tell();
    // Last: whoever waits for nothing to be under way may then destroy what `tell` needs.
    std::lock_guard lock(mutex);
    under_way.erase(asking);
    if (under_way.empty()) idle.notify_all();
  }
};

GrpcPolicy::GrpcPolicy(const KernelAddress& address, std::function<void()> on_answer)
    : shared_(std::make_unique<Shared>()) {
  shared_->on_answer = std::move(on_answer);
  grpc::ChannelArguments arguments;
  // A kernel that comes back is found again about as soon as the breaker tries it.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 250);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 250);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  // The way to it is what the settings say, not what a proxy of the environment makes of it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  shared_->channel = grpc::CreateCustomChannel(address.target, credentials(address), arguments);
  shared_->stub = wire::SafetyKernel::NewStub(shared_->channel);
}

// The channel must not end on a thread of the library, which would wait for itself: callbacks own
// nothing, and are waited for.
GrpcPolicy::~GrpcPolicy() {
  std::unique_lock lock(shared_->mutex);
  for (Asking& asking : shared_->under_way) asking.context.TryCancel();
  shared_->idle.wait(lock, [&] { return shared_->under_way.empty(); });
}

void GrpcPolicy::submit(PolicyQuestion question) {
  std::list<Asking>::iterator asking;
  {
    std::lock_guard lock(shared_->mutex);
    asking = shared_->under_way.emplace(shared_->under_way.end());
  }
  asking->ticket = question.ticket;
  asking->request = to_wire(question);
  asking->context.set_deadline(std::chrono::system_clock::now() +
                               std::chrono::milliseconds(question.timeout_ms));
  shared_->stub->async()->Check(
      &asking->context, &asking->request, &asking->response,
      [shared = shared_.get(), asking](grpc::Status status) { shared->ended(asking, status); });
}

std::vector<PolicyAnswer> GrpcPolicy::harvest() {
  std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->answers, {});
}

}  // namespace fermata
