#include <algorithm>

#include "core/fleet/view.h"
#include "core/job/members.h"
#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

namespace fermata::server::routes {
namespace {

constexpr int64_t drain_ms_max = int64_t{30} * 86'400'000;

std::vector<const fleet::Registration*> of_worker(const Workers& workers, const Call& call) {
  std::vector<const fleet::Registration*> found;
  for (const auto& [id, registration] : workers.fleet().registrations())
    if (registration.card.worker.text() == call.variable(0) && is_seen_by(registration, call.who))
      found.push_back(&registration);
  return found;
}

/// Writes down who did it, and tells those who look.
void tell(Api& api, Workers& workers, const Call& asked, std::string action,
          std::string reason = {}) {
  const std::string& worker = asked.variable(0);
  workers.note(api.audit(asked, std::move(action), worker, std::move(reason)));
  worker_changed(api, asked.who.account, worker);
}

void set_draining(Api& api, Call call, bool on) {
  auto until = drain_end(api, call);
  if (!until) return api.fail(call, until.error());
  visit_workers(api, std::move(call),
                [&api, on, until = *until](Workers& workers, const Call& asked) {
                  if (of_worker(workers, asked).empty()) return no_such_worker(api, asked);
                  workers.drain(WorkerId(asked.variable(0)), on, until);
                  tell(api, workers, asked, on ? "worker.drain" : "worker.undrain");
                  asked.send_json(200, fleet::view::worker(*of_worker(workers, asked).front()));
                });
}

}  // namespace

void worker_changed(Api& api, const AccountId& account, const std::string& worker) {
  api.hub().changed({account, "worker", worker, 0, api.now()});
}

bool is_seen_by(const fleet::Registration& registration, const Principal& who) {
  const auto& accounts = registration.card.accounts;
  return accounts.empty() ||
         std::find(accounts.begin(), accounts.end(), who.account.text()) != accounts.end();
}

bool knows_worker(const Workers& workers, const Call& call) {
  return !of_worker(workers, call).empty();
}

void no_such_worker(Api& api, const Call& call) {
  api.fail(
      call,
      {ErrorCode::registration_not_found, "There is no worker `" + call.variable(0) + "`.", {}});
}

Outcome<std::optional<Instant>> drain_end(Api& api, const Call& call) {
  std::vector<Finding> findings;
  job::Members members(call.body, "", findings);
  auto timeout_ms = members.integer("timeout_ms", 0, drain_ms_max);
  members.finish();
  if (!findings.empty())
    return fail(ErrorCode::invalid_field, findings[0].path + ": " + findings[0].message, findings);
  if (!timeout_ms) return std::optional<Instant>();
  return std::optional(api.now() + Duration{*timeout_ms});
}

void list_workers(Api& api, Call call) {
  visit_workers(api, std::move(call), [](Workers& workers, const Call& asked) {
    Value items = Value::array();
    for (const auto& [id, registration] : workers.fleet().registrations())
      if (is_seen_by(registration, asked.who)) items.push(fleet::view::worker(registration));
    asked.send_json(200, page_value(std::move(items), ""));
  });
}

void list_queues(Api& api, Call call) {
  visit_workers(api, std::move(call), [&api](Workers& workers, const Call& asked) {
    asked.send_json(200,
                    fleet::view::queues(workers.fleet().queue(), api.now(), asked.who.account));
  });
}

void get_worker(Api& api, Call call) {
  visit_workers(api, std::move(call), [&api](Workers& workers, const Call& asked) {
    auto found = of_worker(workers, asked);
    if (found.empty()) return no_such_worker(api, asked);
    asked.send_json(200, fleet::view::worker(*found.front()));
  });
}

void drain_worker(Api& api, Call call) { set_draining(api, std::move(call), true); }
void undrain_worker(Api& api, Call call) { set_draining(api, std::move(call), false); }

void revoke_worker(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  visit_workers(api, std::move(call), [&api, reason](Workers& workers, const Call& asked) {
    std::vector<RegistrationId> ids;
    for (const fleet::Registration* one : of_worker(workers, asked)) ids.push_back(one->id);
    if (ids.empty()) return no_such_worker(api, asked);
    for (const RegistrationId& id : ids)
      if (auto gone = workers.dismiss(id); !gone) return api.fail(asked, gone.error());
    tell(api, workers, asked, "worker.revoke", reason);
    asked.send_json(200, Value::object({{"worker_id", asked.variable(0)}, {"revoked", true}}));
  });
}

}  // namespace fermata::server::routes
