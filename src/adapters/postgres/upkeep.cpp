#include "adapters/postgres/upkeep.h"

#include <chrono>

#include "adapters/postgres/audit_rows.h"

namespace fermata::postgres {
namespace {

constexpr auto pause = std::chrono::milliseconds(500);
constexpr auto forget_every = std::chrono::seconds(60);
constexpr size_t chained_at_once = 1000;

}  // namespace

Upkeep::Upkeep(const Server& server, std::function<bool()> leads)
    : connection_(server), leads_(std::move(leads)), thread_([this] { work(); }) {}

Upkeep::~Upkeep() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

/// What fails is tried again after the pause: whoever writes tells of a server that is away.
void Upkeep::work() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point forget_at = Clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [&] { return stopping_; })) {
    if (!leads_() || !connection_.ensure()) continue;
    for (bool more = true; more && !stopping_;) {
      lock.unlock();
      Outcome<size_t> chained = chain_audit(connection_, chained_at_once);
      more = chained && *chained == chained_at_once;
      lock.lock();
    }
    if (Clock::now() < forget_at) continue;
    forget_at = Clock::now() + forget_every;
    connection_.run("delete from commits where at < now() - interval '1 hour'");
  }
}

}  // namespace fermata::postgres
