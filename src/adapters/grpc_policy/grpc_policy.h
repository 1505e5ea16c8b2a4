#pragma once
#include <functional>
#include <memory>

#include "adapters/grpc_policy/kernel_address.h"
#include "ports/policy_kernel.h"

namespace fermata {

/// Asks a kernel by gRPC: `cordum.agent.v1.SafetyKernel/Check`. Connects when first asked, and
/// again by itself.
class GrpcPolicy final : public PolicyKernel {
 public:
  /// `on_answer` is called on another thread whenever there is something to harvest.
  GrpcPolicy(const KernelAddress& address, std::function<void()> on_answer);
  /// Gives up what is under way.
  ~GrpcPolicy() override;

  void submit(PolicyQuestion question) override;
  std::vector<PolicyAnswer> harvest() override;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace fermata
