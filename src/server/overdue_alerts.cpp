#include "server/overdue_alerts.h"

#include "server/api.h"

namespace fermata::server {
namespace {

/// As often as the shortest that an account may accept.
constexpr std::chrono::milliseconds look_interval(10'000);

}  // namespace

void OverdueAlerts::start() { again(); }

void OverdueAlerts::again() {
  api_.deadlines().after(look_interval, [this] {
    // Nobody is told of a look that fails: the store tells of its own troubles.
    api_.pool().submit_owed([this] { (void)look(); });
    again();
  });
}

Outcome<std::vector<OverdueWaits>> OverdueAlerts::look() {
  Instant now = api_.now();
  FERMATA_TRY(overdue, api_.reader().overdue_waits(AccountId(), now));
  auto accounts = api_.account_book().accounts();
  std::map<AccountId, const OverdueWaits*> late;
  for (const OverdueWaits& one : overdue) {
    auto settings = accounts->settings_of(one.account);
    int64_t accepted_s = (settings ? *settings : AccountSettings()).waits.overdue_alert_s;
    if ((now - one.oldest).ms > accepted_s * 1'000) late.emplace(one.account, &one);
  }
  std::vector<std::pair<AccountId, const OverdueWaits*>> news;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [account, one] : late)
      if (alerting_.insert(account).second) news.emplace_back(account, one);
    for (auto at = alerting_.begin(); at != alerting_.end();) {
      if (late.contains(*at)) {
        ++at;
      } else {
        news.emplace_back(*at, nullptr);
        at = alerting_.erase(at);
      }
    }
  }
  for (const auto& [account, one] : news) tell(account, one);
  return overdue;
}

std::set<AccountId> OverdueAlerts::alerting() const {
  std::lock_guard lock(mutex_);
  return alerting_;
}

void OverdueAlerts::tell(const AccountId& account, const OverdueWaits* overdue) {
  Instant now = api_.now();
  Value body = Value::object({{"type", "waits.overdue"},
                              {"account_id", account.text()},
                              {"state", overdue ? "firing" : "resolved"},
                              {"at", to_rfc3339(now)}});
  if (overdue) {
    body.set("count", overdue->waits);
    body.set("oldest_s", (now - overdue->oldest).ms / 1'000);
  }
  if (api_.options().log) {
    ApiLogLine line{overdue ? "Waits are overdue." : "Waits are no longer overdue.", {}};
    for (const Value::Member& member : body.members())
      line.fields.emplace_back(member.key.as_string(), member.value);
    api_.options().log(line);
  }
  api_.hub().alert(account, body);
  auto settings = api_.account_book().accounts()->settings_of(account);
  if (settings && !settings->alerts_url.empty() && api_.options().notify)
    api_.options().notify(account, settings->alerts_url, body);
}

}  // namespace fermata::server
