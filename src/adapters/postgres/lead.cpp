#include "adapters/postgres/lead.h"

#include <algorithm>
#include <chrono>

namespace fermata::postgres {
namespace {

constexpr Duration retry_pause{500};

std::chrono::milliseconds chrono_of(Duration duration) {
  return std::chrono::milliseconds(duration.ms);
}

}  // namespace

Lead::Lead(const Server& server, Settings settings)
    : settings_(std::move(settings)), connection_(server) {}

/// Given back at once, so that another need not wait for the lease to run out.
Lead::~Lead() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (epoch_ == 0) return;
  settings_.changed(0);
  Arguments mine;
  mine.number(epoch_);
  if (connection_.ensure())
    connection_.run(
        "update leases set holder = '', until = now() where name = 'lead' and fence = $1", mine);
}

Outcome<bool> Lead::take() {
  std::lock_guard lock(mutex_);
  if (epoch_ != 0) return true;
  FERMATA_TRY_VOID(connection_.ensure());
  Arguments mine;
  mine.text(settings_.holder).number(settings_.lease.ms);
  FERMATA_TRY(taken, connection_.ask("taking the lead",
                                     "update leases set holder = $1, fence = fence + 1, until = "
                                     "now() + $2::bigint * interval '1 millisecond' where name = "
                                     "'lead' and (holder = '' or until < now()) returning fence",
                                     mine));
  if (!taken.next()) return false;
  epoch_ = taken.natural(0);
  settings_.changed(epoch_);
  if (thread_.joinable()) thread_.join();  // of a lead that was lost: it has nothing left to do
  thread_ = std::thread([this] { renew(); });
  return true;
}

Outcome<std::string> Lead::holder() {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(connection_.ensure());
  FERMATA_TRY(
      rows, connection_.ask("looking who leads", "select holder from leases where name = 'lead'"));
  return std::string(rows.next() ? rows.text(0) : "");
}

/// A server that cannot be reached takes the lead from nobody: it is asked again until it answers,
/// and only its word that another leads ends ours.
void Lead::renew() {
  std::unique_lock lock(mutex_);
  Duration pause{settings_.lease.ms / 3};
  while (!changed_.wait_for(lock, chrono_of(pause), [&] { return stopping_; })) {
    Outcome<bool> renewed = renew_once();
    pause = renewed ? Duration{settings_.lease.ms / 3}
                    : Duration{std::min(settings_.lease.ms / 3, retry_pause.ms)};
    if (!renewed || *renewed) continue;
    epoch_ = 0;
    settings_.changed(0);
    if (settings_.lost)
      settings_.lost({ErrorCode::store_unavailable,
                      "another process leads: the lease was not renewed in time",
                      {}});
    return;
  }
}

Outcome<bool> Lead::renew_once() {
  FERMATA_TRY_VOID(connection_.ensure());
  Arguments mine;
  mine.number(settings_.lease.ms).number(epoch_);
  FERMATA_TRY(renewed,
              connection_.ask("renewing the lead",
                              "update leases set until = now() + $1::bigint * interval '1 "
                              "millisecond' where name = 'lead' and fence = $2 returning 1",
                              mine));
  return renewed.count() == 1;
}

}  // namespace fermata::postgres
