#pragma once
#include <functional>
#include <list>
#include <memory>

#include "host/intake.h"
#include "host/message_intake.h"
#include "sim/chaos.h"
#include "sim/ports/sim_clock.h"

namespace fermata::sim {

/// What somebody outside asks of the engine. It is asked again until there is an answer.
struct Request {
  Command command{};
  Duration after{};                                            ///< when it is first sent, from now
  std::function<void(const Outcome<RunSummary>&)> answered{};  ///< once, with the final answer
  /// A run that is not there yet may still come; nobody is told before.
  bool waits_for_run = true;
  std::string mark{};  ///< a message: what it names is taken once; empty: a request
};

/// Callers with patience: they outlive crashes, repeat what was not answered and sometimes send
/// twice.
class Clients {
 public:
  using Audit = std::function<void(const Command&, const Outcome<RunSummary>&)>;
  Clients(Chaos& chaos, const SimClock& clock, Audit audit)
      : chaos_(chaos), clock_(clock), audit_(std::move(audit)) {}

  void send(Request request);
  /// Hands over what is to be sent now.
  void deliver(Intake& intake, MessageIntake& messages);
  /// The process is gone: nobody answers what it had taken.
  void crashed();
  bool idle() const { return open_.empty(); }
  std::optional<Instant> next() const;

 private:
  struct Open {
    Request request;
    Instant at;  ///< when to send (again), in true time
    bool sent = false;
    bool done = false;
  };
  void submit(Intake& intake, MessageIntake& messages, const std::shared_ptr<Open>& open);
  void take(const std::shared_ptr<Open>& open, const Outcome<RunSummary>& answer);

  Chaos& chaos_;
  const SimClock& clock_;
  Audit audit_;
  std::list<std::shared_ptr<Open>> open_;
};

}  // namespace fermata::sim
