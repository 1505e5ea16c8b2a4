#include "core/fleet/view.h"

#include "core/job/json_fields.h"

namespace fermata::fleet::view {

Value progress(const Progress& progress) {
  Value out = Value::object();
  if (progress.percent) out.set("percent", *progress.percent);
  if (!progress.message.empty()) out.set("message", progress.message);
  if (!progress.partial.is_null()) out.set("partial", progress.partial);
  return out;
}

std::string_view status_of(const Registration& registration) {
  if (!registration.alive) return "awaited";
  return registration.draining || registration.drained ? "draining" : "online";
}

namespace {

Value percent(uint32_t tenths) { return static_cast<double>(tenths) / 10; }

Value lease_item(const LeaseKey& key, const Lease& lease) {
  Value out = Value::object({{"job_id", key.job.text()},
                             {"fence", key.fence},
                             {"attempt", lease.attempt},
                             {"topic", lease.topic},
                             {"since", to_rfc3339(lease.given_at)},
                             {"started", lease.seen},
                             {"cancelling", lease.revoked}});
  const Value told = progress(lease.progress);
  for (const Value::Member& member : told.members()) out.set(member.key.as_string(), member.value);
  return out;
}

}  // namespace

Value list_item(const Registration& registration) {
  Value out = job::to_value(registration.card);
  out.set("registration_id", registration.id.text());
  out.set("status", status_of(registration));
  out.set("active", registration.leases.size());
  out.set("load", Value::object({{"cpu_load", percent(registration.load.cpu)},
                                 {"gpu_utilization", percent(registration.load.gpu)},
                                 {"memory_load", percent(registration.load.memory)},
                                 {"external_jobs", registration.load.external_jobs}}));
  out.set("registered_at", to_rfc3339(registration.registered_at));
  out.set("last_seen_at", to_rfc3339(registration.last_seen));
  return out;
}

Value worker(const Registration& registration) {
  Value out = list_item(registration);
  Value leases = Value::array();
  for (const auto& [key, lease] : registration.leases) leases.push(lease_item(key, lease));
  out.set("leases", std::move(leases));
  return out;
}

Value queues(const Queue& queue, Instant now, const AccountId& account) {
  Value out = Value::array();
  for (const Queue::Depth& depth : queue.depths(now)) {
    if (depth.account != account) continue;
    out.push(Value::object({{"topic", depth.topic},
                            {"priority", name_of(depth.priority)},
                            {"depth", depth.jobs},
                            {"oldest_ms", (now - depth.oldest).ms},
                            {"pool", depth.pool.empty() ? default_pool : depth.pool},
                            {"account_id", depth.account.text()},
                            {"reason", name_of(depth.reason)},
                            {"phase", name_of(phase_of(depth.reason))},
                            {"served", !is_fault(depth.reason)}}));
  }
  return out;
}

}  // namespace fermata::fleet::view
