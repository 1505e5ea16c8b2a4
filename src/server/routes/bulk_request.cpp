#include "server/routes/bulk_request.h"

#include <set>

#include "base/uuid.h"
#include "front/start_request.h"
#include "server/problem.h"

namespace fermata::server::routes {
namespace {

constexpr size_t ids_max = 10'000;
constexpr int64_t per_second_max = 100'000;
constexpr int64_t per_minute_max = per_second_max * 60;

void read_ids(front::Fields& fields, BulkRequest& request) {
  const Value* ids = fields.any("ids");
  if (!ids || ids->is_null()) return;
  request.ids.emplace();
  if (!ids->is_array() || ids->size() > ids_max)
    return fields.wrong("ids",
                        "An array of at most " + std::to_string(ids_max) + " ids is expected.");
  std::set<std::string_view> seen;
  for (const Value& id : ids->items()) {
    if (!id.is_string()) return fields.wrong("ids", "Each id is a text.");
    if (seen.insert(id.as_string()).second) request.ids->emplace_back(id.as_string());
  }
}

http::Response accepted(const BulkRecord& record) {
  http::Response response = json_response(202, Value::object({{"bulk_id", record.id},
                                                              {"state", name_of(record.state)},
                                                              {"matched", record.matched}}));
  response.headers.emplace_back("Location", "/api/v1/bulk/" + record.id);
  return response;
}

/// The operation's id: fresh, or derived from the Idempotency-Key so that the operation itself is
/// the mark that the request was already served.
std::string bulk_id_for(Api& api, const Call& call) {
  std::string_view key = call.request.header("idempotency-key");
  if (key.empty()) return api.new_uuid_v7();
  return uuid_v5("bulk\n" + call.who.account.text() + "\n" + std::string(key));
}

/// True when the request was a repeat and has been answered.
Outcome<bool> answer_repeated_bulk(Api& api, const Call& call) {
  if (call.request.header("idempotency-key").empty()) return false;
  FERMATA_TRY(known, api.bulks().bulk(bulk_id_for(api, call)));
  if (!known) return false;
  std::string hash = front::request_hash("POST " + std::string(call.request.path), call.body);
  if (known->request_hash != hash)
    return fail(ErrorCode::idempotency_key_reused,
                "This Idempotency-Key came with another request before.");
  call.send(accepted(*known));
  return true;
}

}  // namespace

namespace {

/// `per_minute`, `per_second`, or the longer name by which dead letters know it; 0 for no rate.
uint32_t read_rate(front::Fields& fields) {
  auto rate = fields.integer("rate_per_second", 1, per_second_max);
  auto per_second = fields.integer("per_second", 1, per_second_max);
  auto per_minute = fields.integer("per_minute", 1, per_minute_max);
  if (rate && per_second && *rate != *per_second)
    fields.wrong("rate_per_second", "`per_second` says otherwise.");
  if (rate) per_second = rate;
  if (per_minute && per_second && *per_minute != *per_second * 60)
    fields.wrong("per_minute", "A rate by the second says otherwise.");
  return static_cast<uint32_t>(per_minute.value_or(per_second.value_or(0) * 60));
}

}  // namespace

BulkRequest read_bulk_request(front::Fields& fields) {
  BulkRequest request;
  request.filter = fields.object("filter");
  read_ids(fields, request);
  request.all = fields.boolean("all").value_or(false);
  request.reason = fields.text("reason").value_or("");
  request.dry_run = fields.boolean("dry_run").value_or(false);
  request.token = fields.text("token", 100).value_or("");
  request.per_minute = read_rate(fields);
  if (request.dry_run && !request.token.empty())
    fields.wrong("token", "A token acts on a dry run; a dry run takes none.");
  if (request.ids && !request.filter.is_null())
    fields.wrong("ids", "Either a filter or ids select, not both.");
  return request;
}

Outcome<void> check_bulk_request(const BulkRequest& request) {
  bool selects = request.ids ? !request.ids->empty() : request.filter.size() > 0;
  if (selects || request.all || !request.token.empty()) return {};
  return fail(ErrorCode::filter_required,
              "Nothing is selected: an empty filter needs `\"all\": true`.",
              {{"filter_required", "/filter", "A filter or ids are needed.", {}}});
}

std::string bulk_request_hash(const Value& body) {
  Value asked = Value::object();
  for (const Value::Member& member : body.members()) {
    std::string_view name = member.key.as_string();
    bool how = name == "dry_run" || name == "token" || name == "reason" || name == "per_second" ||
               name == "rate_per_second" || name == "per_minute";
    if (!how) asked.set(name, member.value);
  }
  // With the token alone nothing is said again.
  return asked.size() == 0 ? std::string() : front::request_hash("bulk", asked);
}

void BulkForecast::add(std::string_view status, std::string_view id,
                       std::optional<ErrorCode> refusal) {
  constexpr size_t sample_max = 10;
  ++count_;
  ++by_status_[std::string(status)];
  if (refusal) {
    ++refused_[std::string(name_of(*refusal))];
  } else if (sample_.size() < sample_max) {
    sample_.emplace_back(id);
  }
}

void BulkForecast::add_missing(ErrorCode code, size_t count) {
  if (count > 0) refused_[std::string(name_of(code))] += static_cast<int64_t>(count);
}

Value BulkForecast::value() const {
  Value by_status = Value::object(), refused = Value::object(), sample = Value::array();
  for (const auto& [name, count] : by_status_) by_status.set(name, count);
  for (const auto& [name, count] : refused_) refused.set(name, count);
  for (const std::string& id : sample_) sample.push(id);
  return Value::object({{"count", count_},
                        {"by_status", std::move(by_status)},
                        {"sample", std::move(sample)},
                        {"refused", std::move(refused)}});
}

Failure<Error> too_many(const Api& api, std::string_view things) {
  return fail(ErrorCode::invalid_field,
              "More than bulk_items_max, " + std::to_string(api.options().bulk_items_max) + " " +
                  std::string(things) + " are selected; narrow the filter.",
              {{"invalid_field", "/filter", "It selects too much for one operation.", {}}});
}

void answer_preview(Api& api, const Call& call, BulkPreview preview, Value told) {
  std::string token = api.new_uuid_v4();
  BulkPreviews& previews = api.bulk().previews();
  Duration kept{std::chrono::milliseconds(previews.kept()).count()};
  previews.put(token, std::move(preview), std::chrono::steady_clock::now());
  told.set("dry_run", true);
  told.set("as_of", to_rfc3339(api.now()));
  told.set("token", token);
  told.set("expires_at", to_rfc3339(api.now() + kept));
  call.send_json(200, told);
}

Outcome<void> act_on_preview(Api& api, const Call& call, const BulkRequest& request,
                             const std::string& request_hash) {
  FERMATA_TRY(repeated, answer_repeated_bulk(api, call));
  if (repeated) return {};
  auto now = std::chrono::steady_clock::now();
  auto preview = api.bulk().previews().take(request.token, call.who.account, now);
  if (!preview)
    return fail(ErrorCode::bulk_token_invalid,
                "The token is unknown, has acted already or is too old.");
  if (!request_hash.empty() && preview->request_hash != request_hash) {
    api.bulk().previews().put(request.token, *std::move(preview), now);
    return fail(ErrorCode::bulk_token_invalid,
                "The token's dry run asked for something else; send the token alone, or with all "
                "that the dry run asked for.");
  }
  if (call.who.role < preview->least) {
    api.bulk().previews().put(request.token, *std::move(preview), now);
    return fail(ErrorCode::forbidden, "The token's action needs a role that may do more.");
  }
  return begin_bulk(api, call, request, *std::move(preview));
}

Outcome<void> begin_bulk(Api& api, const Call& call, const BulkRequest& request,
                         BulkPreview preview) {
  FERMATA_TRY(repeated, answer_repeated_bulk(api, call));
  if (repeated) return {};
  BulkRecord record;
  record.id = bulk_id_for(api, call);
  record.account = call.who.account;
  record.kind = preview.kind;
  record.action = preview.action;
  record.parameters = preview.parameters;
  record.actor = call.who.actor;
  record.reason = request.reason;
  record.request_hash = front::request_hash("POST " + std::string(call.request.path), call.body);
  record.created_at = api.now();
  record.per_minute = request.per_minute;
  record.matched = preview.items.size();
  AuditLine line = api.audit(call, "bulk.start", record.id, request.reason);
  line.details = Value::object({{"kind", record.kind},
                                {"action", record.action},
                                {"parameters", record.parameters},
                                {"matched", record.matched}});
  auto begun = api.bulk().begin(record, preview.items, line);
  if (!begun) {
    // The token is still good: nothing has been done with it.
    if (!request.token.empty())
      api.bulk().previews().put(request.token, std::move(preview),
                                std::chrono::steady_clock::now());
    return Failure{std::move(begun).error()};
  }
  if (!*begun) {
    FERMATA_TRY(answered, answer_repeated_bulk(api, call));
    if (!answered) return fail(ErrorCode::internal, "The operation's id was taken.");
    return {};
  }
  call.send(accepted(record));
  return {};
}

}  // namespace fermata::server::routes
