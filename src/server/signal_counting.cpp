#include "server/signal_counting.h"

#include <algorithm>
#include <chrono>

#include "core/wait/event_types.h"

namespace fermata::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string counted_type(const AccountTable& accounts, const Signal& signal) {
  if (waits::is_built_in_event_type(signal.type)) return signal.type;
  auto settings = accounts.settings_of(signal.account);
  if (!settings) return "other";
  const std::vector<std::string>& own = settings->signals.event_types;
  return std::find(own.begin(), own.end(), signal.type) == own.end() ? "other" : signal.type;
}

}  // namespace

bool SignalCounting::submit_signals(std::vector<IncomingSignal> signals) {
  auto accounts = accounts_.accounts();
  for (IncomingSignal& incoming : signals) {
    if (!incoming.reply) continue;
    incoming.reply = [reply = std::move(incoming.reply), &metrics = metrics_,
                      type = counted_type(*accounts, incoming.signal),
                      account = incoming.signal.account,
                      begun = SteadyClock::now()](Outcome<SignalTold> told) {
      std::chrono::duration<double> took = SteadyClock::now() - begun;
      std::string_view result = !told ? "failed" : told->duplicate ? "duplicate" : "accepted";
      bool late = told && !told->record.reach.ignored.empty() && !told->duplicate;
      metrics.signal(account, type, result, late, took.count());
      reply(std::move(told));
    };
  }
  return engine_.submit_signals(std::move(signals));
}

std::set<std::string> SignalCounting::registered_types(front::AccountBook& accounts) {
  std::set<std::string> types;
  for (const auto& [account, settings] : accounts.accounts()->settings)
    types.insert(settings->signals.event_types.begin(), settings->signals.event_types.end());
  return types;
}

}  // namespace fermata::server
