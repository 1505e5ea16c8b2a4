#include <algorithm>

#include "base/json.h"
#include "front/cap/pointer.h"
#include "server/wire/gateway.h"

/// Where bodies of jobs lie for workers on the bus (C-78).
namespace fermata::server {

namespace {

constexpr std::string_view redis_lead = "redis://";

/// As long as somebody may still want it.
Duration life_of(const Value& job, Instant now) {
  Duration life = body_life_least;
  if (!job.get("deadline_at").is_string()) return life;
  if (auto deadline = parse_rfc3339(std::string(job.get("deadline_at").as_string())))
    life = std::max(life, *deadline - now + body_life_beyond);
  return life;
}

}  // namespace

void Gateway::dispatch(const Value& job, const front::cap::DispatchTerms& terms) {
  front::cap::Outgoing out = front::cap::dispatch_of(job, terms);
  if (!parts_.memory || !options_.bodies_beside) return publish_dispatch(std::move(out));
  post([this, job, out = std::move(out)]() mutable {
    put_input(job, out);
    publish_dispatch(std::move(out));
  });
}

void Gateway::publish_dispatch(front::cap::Outgoing out) {
  // One that finds no room is not started in time, and its job goes elsewhere.
  if (!parts_.wire.publish({0, out.subject, out.message_id, parts_.codec.write(out.packet)}) &&
      options_.warn)
    options_.warn("Too many messages wait for NATS; a dispatch was not sent", out.message_id);
}

void Gateway::put_input(const Value& job, front::cap::Outgoing& out) {
  auto& request = std::get<cap::JobRequest>(out.packet.payload);
  const Value& input = job.get("input");
  const Value& blob = job.get("input_blob");
  bool pointed = !front::cap::pointer_of(input).empty();
  if (pointed || (input.is_null() && !blob.is_object())) return;
  std::string text = to_json(input);
  if (blob.is_object()) {
    auto found = parts_.files.blob(options_.account, std::string(blob.get("sha256").as_string()));
    // The pointer to this server, which the packet has, leads to it as well.
    if (!found || !*found) return;
    text = **std::move(found);
  }
  std::string key = "ctx:" + std::string(job.get("job_id").as_string());
  auto put = parts_.memory->put_body(key, text, life_of(job, parts_.clock.now()));
  if (put) {
    request.context_ptr = std::string(redis_lead) + key;
  } else if (options_.warn) {
    options_.warn("An input could not be put into Redis; it is fetched here", put.error().message);
  }
}

Outcome<Gateway::LyingBody> Gateway::lying_body(const job::Job& job, const cap::JobResult& result) {
  LyingBody out;
  bool referred = result.result_ptr.empty() && result.result_ref;
  std::string_view pointer = referred ? result.result_ref->uri : result.result_ptr;
  if (!parts_.memory || !pointer.starts_with(redis_lead)) return out;
  std::string key(pointer.substr(redis_lead.size()));
  // What lies under the names of other jobs is theirs.
  bool own = key == "res:" + job.id.text() || key == "res:" + result.job_id;
  if (!own) return out;
  out.beside = true;
  FERMATA_TRY(found, parts_.memory->body(key));
  out.text = std::move(found);
  return out;
}

}  // namespace fermata::server
