#include "adapters/postgres/lead.h"

#include <algorithm>
#include <chrono>

namespace fermata::postgres {
namespace {

constexpr Duration renew_retry_pause{500};

/// The key is the schema's; other databases have locks of their own.
#define FERMATA_LEAD_KEY "hashtextextended('fermata lead ' || current_schema(), 0)"

/// A lock that is free says that its holder is dead only while PostgreSQL lives: after a restart of
/// the server everybody's session is gone, and the one that led goes on when it has reconnected.
#define FERMATA_HELD_BY_LOCK "(by_lock and renewed_at > pg_postmaster_start_time())"

std::chrono::milliseconds lead_pause(Duration duration) {
  return std::chrono::milliseconds(duration.ms);
}

bool names_one_host(const Server& server) {
  auto address = address_of(server);
  return address && address->find(',') == std::string::npos;
}

}  // namespace

Lead::Lead(const Server& server, Settings settings)
    : settings_(std::move(settings)), one_host_(names_one_host(server)), connection_(server) {}

Lead::~Lead() { give_back(); }

void Lead::give_back() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  std::lock_guard lock(mutex_);
  stopping_ = false;
  if (epoch_ == 0) return;
  settings_.changed(0);
  Arguments mine;
  mine.number(epoch_);
  epoch_ = 0;
  if (connect()) {
    unlock();
    connection_.run(
        "update leases set holder = '', until = now(), serving = false where name = 'lead' and "
        "fence = $1",
        mine);
  }
}

/// Locks go with the session that took them.
Outcome<void> Lead::connect() {
  if (connection_.alive()) return {};
  locked_ = direct_ = false;
  FERMATA_TRY_VOID(connection_.ensure());
  direct_ = one_host_ && connection_.is_direct();
  return {};
}

Outcome<void> Lead::try_lock() {
  if (locked_ || !direct_) return {};
  FERMATA_TRY(rows, connection_.ask("taking the lock of the lead",
                                    "select pg_try_advisory_lock(" FERMATA_LEAD_KEY ")"));
  locked_ = rows.next() && rows.flag(0);
  return {};
}

void Lead::unlock() {
  if (!locked_) return;
  locked_ = false;
  Reply reply = connection_.run("select pg_advisory_unlock(" FERMATA_LEAD_KEY ")");
  if (reply.trouble != Trouble::none) connection_.close();
}

Outcome<Lead::Look> Lead::look() {
  FERMATA_TRY(
      rows, connection_.ask(
                "looking who leads",
                "select holder, fence, serving, holder = '' or until < now(), " FERMATA_HELD_BY_LOCK
                " from leases where name = 'lead'"));
  Look look;
  if (!rows.next()) return look;
  seen_ = {std::string(rows.text(0)), rows.natural(1), rows.flag(2)};
  look.free = rows.flag(3);
  look.by_lock = rows.flag(4);
  return look;
}

Outcome<bool> Lead::take() {
  std::lock_guard lock(mutex_);
  if (epoch_ != 0) return true;
  FERMATA_TRY_VOID(connect());
  FERMATA_TRY_VOID(try_lock());
  FERMATA_TRY(look, look());
  if (!look.free && !(locked_ && look.by_lock)) {
    unlock();  // for the one that leads without it
    return false;
  }
  Outcome<bool> raised = raise();
  if (!raised || !*raised) {
    unlock();
    return raised;
  }
  settings_.changed(epoch_);
  if (thread_.joinable()) thread_.join();  // of a lead that was lost: it has nothing left to do
  thread_ = std::thread([this] { renew(); });
  return true;
}

Outcome<bool> Lead::raise() {
  if (Reply begun = connection_.script("begin"); begun.trouble != Trouble::none)
    return connection_.failure("taking the lead", begun);
  Outcome<bool> raised = raise_in_transaction();
  Reply ended = connection_.script(raised && *raised ? "commit" : "rollback");
  if (raised && ended.trouble != Trouble::none) {
    epoch_ = 0;
    return connection_.failure("taking the lead", ended);
  }
  return raised;
}

/// Locked first, and against those who write under the old fence: an update alone would not wait
/// for them, so that renewing does not.
Outcome<bool> Lead::raise_in_transaction() {
  Arguments found;
  found.number(seen_.fence).flag(locked_);
  FERMATA_TRY(held, connection_.ask("taking the lead",
                                    "select 1 from leases where name = 'lead' and fence = $1 and "
                                    "(holder = '' or until < now() or ($2 and " FERMATA_HELD_BY_LOCK
                                    ")) for update",
                                    found));
  if (held.count() == 0) return false;
  Arguments mine;
  mine.text(settings_.holder).number(settings_.lease.ms).flag(locked_);
  FERMATA_TRY(taken, connection_.ask("taking the lead",
                                     "update leases set holder = $1, fence = fence + 1, until = "
                                     "now() + $2::bigint * interval '1 millisecond', renewed_at = "
                                     "now(), by_lock = $3, serving = false where name = 'lead' "
                                     "returning fence",
                                     mine));
  if (!taken.next()) return false;
  epoch_ = taken.natural(0);
  seen_ = {settings_.holder, epoch_, false};
  return true;
}

Lead::Seen Lead::seen() {
  std::lock_guard lock(mutex_);
  return seen_;
}

Outcome<Lead::Seen> Lead::watch() {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(connect());
  FERMATA_TRY_VOID(look());
  return seen_;
}

Outcome<std::string> Lead::holder() {
  FERMATA_TRY(found, watch());
  return std::move(found.holder);
}

Outcome<void> Lead::serve() {
  std::lock_guard lock(mutex_);
  FERMATA_TRY_VOID(connect());
  Arguments mine;
  mine.number(epoch_);
  FERMATA_TRY(told, connection_.ask("telling who leads",
                                    "update leases set serving = true where name = 'lead' and "
                                    "fence = $1",
                                    mine));
  return {};
}

/// A server that cannot be reached takes the lead from nobody: it is asked again until it answers,
/// and only its word that another leads ends ours.
void Lead::renew() {
  std::unique_lock lock(mutex_);
  Duration pause{settings_.lease.ms / 3};
  while (!changed_.wait_for(lock, lead_pause(pause), [&] { return stopping_; })) {
    Outcome<bool> renewed = renew_once();
    pause = renewed ? Duration{settings_.lease.ms / 3}
                    : Duration{std::min(settings_.lease.ms / 3, renew_retry_pause.ms)};
    if (!renewed || *renewed) continue;
    epoch_ = 0;
    connection_.close();
    settings_.changed(0);
    if (settings_.lost)
      settings_.lost({ErrorCode::store_unavailable,
                      "another process leads: this one was silent, or its session was lost",
                      {}});
    return;
  }
}

Outcome<bool> Lead::renew_once() {
  FERMATA_TRY_VOID(connect());
  FERMATA_TRY_VOID(try_lock());
  Arguments mine;
  mine.number(settings_.lease.ms).number(epoch_).flag(locked_);
  FERMATA_TRY(renewed, connection_.ask("renewing the lead",
                                       "update leases set until = now() + $1::bigint * interval "
                                       "'1 millisecond', renewed_at = now(), by_lock = $3 where "
                                       "name = 'lead' and fence = $2 returning 1",
                                       mine));
  return renewed.count() == 1;
}

#undef FERMATA_LEAD_KEY
#undef FERMATA_HELD_BY_LOCK

}  // namespace fermata::postgres
