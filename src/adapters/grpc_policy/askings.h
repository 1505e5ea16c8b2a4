#pragma once
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <vector>

#include "adapters/grpc_policy/kernel_address.h"

/// What both services of a kernel have in common. Included by their files alone.
namespace fermata {

inline std::shared_ptr<grpc::Channel> open_channel(const KernelAddress& address) {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (address.tls) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = address.authorities;
    credentials = grpc::SslCredentials(options);
  }
  grpc::ChannelArguments arguments;
  // A kernel that comes back is found again about as soon as the breaker tries it.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 250);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 250);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  // The way to it is what the settings say, not what a proxy of the environment makes of it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address.target, credentials, arguments);
}

/// Questions on their way, and answers that nobody has fetched yet. Callbacks of the library own
/// nothing of it: `end` waits for them, so that no channel ends on a thread of the library, which
/// would wait for itself.
template <class Request, class Response, class Answer>
struct Askings {
  /// Lives until its callback has returned.
  struct Asking {
    uint64_t ticket = 0;
    grpc::ClientContext context;
    Request request;
    Response response;
  };
  using Place = typename std::list<Asking>::iterator;

  std::function<void()> on_answer;

  Place begin(uint64_t ticket, Request request, int64_t timeout_ms) {
    Place asking;
    {
      std::lock_guard lock(mutex_);
      asking = under_way_.emplace(under_way_.end());
    }
    asking->ticket = ticket;
    asking->request = std::move(request);
    asking->context.set_deadline(std::chrono::system_clock::now() +
                                 std::chrono::milliseconds(timeout_ms));
    return asking;
  }
  void ended(Place asking, Answer answer) {
    answer.ticket = asking->ticket;
    std::function<void()> tell;
    {
      std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
      tell = on_answer;
    }
    if (tell) tell();
    // Last: whoever waits for nothing to be under way may then destroy what `tell` needs.
    std::lock_guard lock(mutex_);
    under_way_.erase(asking);
    if (under_way_.empty()) idle_.notify_all();
  }
  std::vector<Answer> harvest() {
    std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }
  /// Gives up what is under way.
  void end() {
    std::unique_lock lock(mutex_);
    for (Asking& asking : under_way_) asking.context.TryCancel();
    idle_.wait(lock, [&] { return under_way_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::list<Asking> under_way_;
  std::vector<Answer> answers_;
};

}  // namespace fermata
