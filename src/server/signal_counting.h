#pragma once
#include "front/account_book.h"
#include "host/signal_intake.h"
#include "server/wait_metrics.h"

namespace fermata::server {

/// Counts signals on their way into the engine, by type and by what became of them.
class SignalCounting final : public SignalIntake {
 public:
  SignalCounting(SignalIntake& engine, front::AccountBook& accounts, WaitMetrics& metrics)
      : engine_(engine), accounts_(accounts), metrics_(metrics) {}
  [[nodiscard]] bool submit_signals(std::vector<IncomingSignal> signals) override;
  /// Types that accounts have registered: they are counted by name, as the built-in ones.
  static std::set<std::string> registered_types(front::AccountBook& accounts);

 private:
  SignalIntake& engine_;
  front::AccountBook& accounts_;
  WaitMetrics& metrics_;
};

}  // namespace fermata::server
