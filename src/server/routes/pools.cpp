#include <algorithm>

#include "core/fleet/view.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/job_routes.h"

/// Pools and limits: what holds, who works there, and changes of it.
namespace fermata::server::routes {
namespace {

front::PoolBoard::Actor changer(const Call& call) { return {call.who.account, call.who.actor}; }

void answer_change(Api& api, const Call& call, const Outcome<void>& changed, int status = 200) {
  if (!changed) return api.fail(call, changed.error());
  uint64_t revision = api.pools().stored().revision;
  http::Response response = json_response(status, Value::object({{"revision", revision}}));
  if (status == 204) {
    response = {};
    response.status = status;
  }
  response.headers.emplace_back("ETag", etag_of(revision));
  call.send(std::move(response));
}

/// What the caller may count of a pool: its own leases, and the workers it sees.
struct PoolCount {
  uint64_t workers = 0;
  uint64_t leases = 0;
};

std::map<std::string, PoolCount> count_pools(const Workers& workers, const Call& call) {
  const fleet::PoolTable& table = workers.fleet().queue().table();
  std::map<std::string, PoolCount> counts;
  counts[std::string(fleet::default_pool)] = {};
  for (const auto& [name, pool] : table.pools) counts[name] = {};
  for (const auto& [id, registration] : workers.fleet().registrations()) {
    if (!is_seen_by(registration, call.who)) continue;
    PoolCount& count = counts[registration.card.pool];
    ++count.workers;
    for (const auto& [key, lease] : registration.leases)
      count.leases += lease.account == call.who.account;
  }
  return counts;
}

}  // namespace

void list_pools(Api& api, Call call) {
  StoredPools stored = api.pools().stored();
  front::PoolBoard::Status file = api.pools().status();
  visit_workers(api, std::move(call), [stored, file](Workers& workers, const Call& asked) {
    Value items = Value::array();
    for (const auto& [name, count] : count_pools(workers, asked)) {
      Value item = fleet::view::pool(name, workers.fleet().queue().table());
      item.set("workers", count.workers);
      item.set("leases", count.leases);
      bool by_file = stored.file.get("pools").find(name) != nullptr;
      bool by_api = stored.api.get("pools").find(name) != nullptr;
      item.set("managed_by", by_file ? Value("file") : by_api ? Value("api") : Value());
      items.push(std::move(item));
    }
    Value body = page_value(std::move(items), "");
    body.set("revision", stored.revision);
    body.set("file", file.file_present ? Value(file.file) : Value());
    body.set("problem", file.failure ? Value(file.failure->message) : Value());
    http::Response response = json_response(200, body);
    response.headers.emplace_back("ETag", etag_of(stored.revision));
    asked.send(std::move(response));
  });
}

void put_pool(Api& api, Call call) {
  auto wanted = wanted_revision(call.request);
  if (!wanted) return api.fail(call, wanted.error());
  answer_change(api, call,
                api.pools().put_pool(call.variable(0), call.body, *wanted, changer(call)));
}

void delete_pool(Api& api, Call call) {
  auto wanted = wanted_revision(call.request);
  if (!wanted) return api.fail(call, wanted.error());
  answer_change(api, call, api.pools().remove_pool(call.variable(0), *wanted, changer(call)), 204);
}

void put_pool_topic(Api& api, Call call) {
  answer_change(api, call,
                api.pools().map_topic(call.variable(0), call.variable(1), true, changer(call)));
}

void delete_pool_topic(Api& api, Call call) {
  answer_change(api, call,
                api.pools().map_topic(call.variable(0), call.variable(1), false, changer(call)),
                204);
}

void drain_pool(Api& api, Call call) {
  auto until = drain_end(api, call);
  if (!until) return api.fail(call, until.error());
  answer_change(
      api, call,
      api.pools().set_status(call.variable(0), fleet::PoolStatus::draining, *until, changer(call)));
}

void activate_pool(Api& api, Call call) {
  answer_change(api, call,
                api.pools().set_status(call.variable(0), fleet::PoolStatus::active, std::nullopt,
                                       changer(call)));
}

void get_limits(Api& api, Call call) {
  StoredPools stored = api.pools().stored();
  bool all = call.who.role == Role::root;
  visit_workers(api, std::move(call), [&api, stored, all](Workers& workers, const Call& asked) {
    Value body = fleet::view::limits(workers.fleet().queue(), api.now(), asked.who.account);
    bool by_file = stored.file.find("limits") != nullptr;
    body.set("managed_by", by_file                                ? Value("file")
                           : stored.api.find("limits") != nullptr ? Value("api")
                                                                  : Value());
    // What others may have is nobody else's concern.
    if (all) body.set("document", (by_file ? stored.file : stored.api).get("limits"));
    body.set("revision", stored.revision);
    asked.send_json(200, body);
  });
}

void put_limits(Api& api, Call call) {
  auto wanted = wanted_revision(call.request);
  if (!wanted) return api.fail(call, wanted.error());
  answer_change(api, call, api.pools().put_limits(call.body, *wanted, changer(call)));
}

/// Where the job would go, or what keeps it and what would help.
void get_placement(Api& api, Call call) {
  auto job = own_job(api, call);
  if (!job) return api.fail(call, job.error());
  visit_workers(api, std::move(call),
                [&api, job = *std::move(job)](Workers& workers, const Call& asked) {
                  asked.send_json(200, fleet::view::placement(workers.fleet(), job, api.now()));
                });
}

}  // namespace fermata::server::routes
