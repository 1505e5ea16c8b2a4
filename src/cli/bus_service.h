#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cli/engine.h"
#include "cli/log.h"
#include "front/rune/announcer.h"
#include "front/rune/interpreter.h"
#include "host/receiver.h"
#include "host/relay.h"

namespace fermata::cli {

/// A broker beside the engine: what is published to it and what it brings, on one thread of its
/// own. The announcer is there before the engine, the rest after it; all of it outlives the
/// engine's host, which rings here.
class BusService {
 public:
  BusService(const Settings& settings, Log& log);
  ~BusService();

  Announcer& announcer() { return announcer_; }
  /// Reaches the broker and looks whether it is safe to use (C-6).
  Outcome<void> open(World& world, Engine& engine);
  void begin();
  void end();

  std::vector<std::string> degraded() const;
  void append_metrics(std::string& out) const;

 private:
  void ring();
  void run();
  void wait(const NextTurn& first, const NextTurn& second);
  void forget_marks(Instant now);
  void watch_outbox();

  const Settings& settings_;
  Log& log_;
  rune::RuneAnnouncer announcer_;
  Clock* clock_ = nullptr;
  Outbox* outbox_ = nullptr;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<rune::RuneInterpreter> interpreter_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<Receiver> receiver_;
  Instant marks_forgotten_at_;
  bool alerted_ = false;

  std::mutex mutex_;
  std::condition_variable bell_;
  bool rung_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fermata::cli
