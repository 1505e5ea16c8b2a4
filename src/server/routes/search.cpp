#include <algorithm>

#include "core/job/summary.h"
#include "front/run_query.h"
#include "ports/catalog.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t found_per_kind = 6;
constexpr size_t looked_at_max = 1'000;  ///< names are compared one by one
constexpr size_t q_bytes_max = 200;

bool contains(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

Value hit(const char* kind, const std::string& id, std::string_view name, std::string_view status) {
  return Value::object({{"kind", kind}, {"id", id}, {"name", name}, {"status", status}});
}

/// What has exactly this id.
Outcome<void> add_exact(Api& api, const AccountId& account, const std::string& q, Value& items) {
  FERMATA_TRY(run, api.reader().summary(RunId(q)));
  if (run && run->account == account)
    items.push(hit("execution", q, run->workflow.text(), name_of(run->status)));
  FERMATA_TRY(job, api.reader().find_job(JobId(q)));
  if (job.version != 0 && job.summary.account == account)
    items.push(hit("job", q, job.summary.topic, name_of(job.summary.state)));
  FERMATA_TRY(wait, api.reader().find_wait(q));
  if (wait && wait->account == account)
    items.push(hit("wait", q, wait->wait.step, name_of(wait->wait.status)));
  return {};
}

Outcome<void> add_named(Api& api, const AccountId& account, const std::string& q, Value& items) {
  FERMATA_TRY(workflows, api.catalog().workflows(account, looked_at_max, ""));
  size_t found = 0;
  for (const WorkflowRecord& workflow : workflows.items) {
    if (!contains(workflow.id.text(), q) || ++found > found_per_kind) continue;
    items.push(hit("workflow", workflow.id.text(),
                   "version " + std::to_string(workflow.current_version),
                   workflow.active ? "active" : "paused"));
  }
  ScheduleFilter schedules{.account = account};
  FERMATA_TRY(page, api.reader().list_schedules(schedules, looked_at_max, ""));
  found = 0;
  for (const schedule::ScheduleSummary& one : page.items) {
    if (!contains(one.id.text(), q) || ++found > found_per_kind) continue;
    items.push(hit("schedule", one.id.text(), one.workflow.text(), name_of(one.status)));
  }
  return {};
}

/// Runs whose id, workflow, contact or error code has the text in it, and the contacts among them.
Outcome<void> add_runs(Api& api, const AccountId& account, const std::string& q, Value& items) {
  RunFilter filter;
  filter.account = account;
  filter.q = q;
  FERMATA_TRY(page, api.reader().list(filter, found_per_kind, ""));
  std::vector<std::string> contacts;
  for (const RunSummary& run : page.items) {
    const std::string& contact = run.contact_id;
    bool known = std::find(contacts.begin(), contacts.end(), contact) != contacts.end();
    if (!contact.empty() && !known && contains(contact, q)) contacts.push_back(contact);
  }
  for (const std::string& contact : contacts) items.push(hit("contact", contact, "", ""));
  for (const RunSummary& run : page.items)
    if (run.id.text() != q)
      items.push(hit("execution", run.id.text(), run.workflow.text(), name_of(run.status)));
  return {};
}

Outcome<Value> found(Api& api, const Call& call) {
  const std::string* q = front::find_value(call.query, "q");
  if (!q || q->empty() || q->size() > q_bytes_max)
    return front::bad_query(
        "q", "A text of 1 to " + std::to_string(q_bytes_max) + " bytes is expected.");
  Value items = Value::array();
  FERMATA_TRY_VOID(add_exact(api, call.who.account, *q, items));
  FERMATA_TRY_VOID(add_named(api, call.who.account, *q, items));
  FERMATA_TRY_VOID(add_runs(api, call.who.account, *q, items));
  return Value::object({{"items", std::move(items)}});
}

}  // namespace

void search(Api& api, Call call) {
  auto answer = found(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
