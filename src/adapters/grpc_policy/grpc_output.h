#pragma once
#include <functional>
#include <memory>

#include "adapters/grpc_policy/kernel_address.h"
#include "ports/output_kernel.h"

namespace fermata {

/// Asks a kernel by gRPC: `cordum.v1.OutputPolicyService/CheckOutput`. Connects when first asked,
/// and again by itself.
class GrpcOutput final : public OutputKernel {
 public:
  /// `on_answer` is called on another thread whenever there is something to harvest.
  GrpcOutput(const KernelAddress& address, std::function<void()> on_answer);
  /// Gives up what is under way.
  ~GrpcOutput() override;

  void submit(OutputQuestion question) override;
  std::vector<OutputAnswer> harvest() override;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace fermata
