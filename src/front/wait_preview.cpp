#include "front/wait_preview.h"

#include "core/wait/resolve.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

struct WaitPreviewRequest {
  std::string type;
  Value config;
  Instant now;
  std::string contact_id;
  std::string contact_zone;
  std::string account_zone;
  int64_t count = 1;
};

/// The problem's code is that of the first finding (W-40).
Failure<Error> refused_wait(std::vector<Finding> findings) {
  auto code = error_code_of(findings.front().code).value_or(ErrorCode::invalid_config);
  for (Finding& finding : findings) finding.path = "/config" + finding.path;
  std::string message = findings.front().message;
  return fail(code, std::move(message), std::move(findings));
}

/// Beyond these nobody can say what calendars and zones will be.
Instant earliest_now() { return *parse_rfc3339("1900-01-01T00:00:00Z"); }
Instant latest_now() { return *parse_rfc3339("9000-01-01T00:00:00Z"); }

Outcome<WaitPreviewRequest> read_wait_request(const Value& body, Instant now) {
  Fields fields(body);
  WaitPreviewRequest request;
  fields.require("wait_type");
  request.type = fields.text("wait_type").value_or("");
  if (!request.type.empty() && waits::fields_of(request.type).empty())
    fields.wrong("wait_type", "fixed_time, until_date or until_time is expected.");
  request.config = fields.object("config");
  if (request.config.is_null()) request.config = Value::object();
  request.now = fields.instant("now").value_or(now);
  request.contact_id = fields.id("contact_id").value_or("");
  request.contact_zone = fields.text("contact_timezone", 100).value_or("");
  request.account_zone = fields.text("account_timezone", 100).value_or("");
  request.count = fields.integer("count", 1, preview_waits_max).value_or(1);
  if (request.now < earliest_now() || request.now > latest_now())
    fields.wrong("now", "An instant of the years 1900 to 9000 is expected.");
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value shown(const waits::WaitInstant& found) {
  Value explain = waits::explained(found);
  Value adjusted = explain.get("adjusted");
  Value warnings = Value::array();
  for (const std::string& warning : found.warnings) warnings.push(warning);
  return Value::object(
      {{"scheduled_at", to_rfc3339(found.at)},
       {"local_target", found.intent ? Value(to_text(found.intent->local)) : Value()},
       {"timezone", text_or_null(found.timezone)},
       {"timezone_source", found.timezone_source.empty() ? Value() : Value(found.timezone_source)},
       {"adjusted", std::move(adjusted)},
       {"past", found.past},
       {"explain", std::move(explain)},
       {"warnings", std::move(warnings)}});
}

/// Who is named, with the zone that the request gives it.
Outcome<Contact> contact_of(const WaitPreviewRequest& request, const PreviewGiven& given) {
  Contact contact;
  if (!request.contact_id.empty() && given.contact) {
    FERMATA_TRY(found, given.contact(request.contact_id));
    if (!found)
      return fail(ErrorCode::contact_not_found,
                  "There is no contact `" + request.contact_id + "`.");
    contact = *std::move(found);
  }
  if (!request.contact_zone.empty()) contact.timezone = request.contact_zone;
  return contact;
}

}  // namespace

Outcome<Value> preview_wait(const Value& body, const PreviewGiven& given) {
  FERMATA_TRY(request, read_wait_request(body, given.now));
  auto config = waits::read_config(request.type, request.config);
  if (!config) return refused_wait(std::move(config).error());
  FERMATA_TRY(contact, contact_of(request, given));
  AccountSettings account = given.account ? *given.account : AccountSettings{};
  if (!request.account_zone.empty()) account.timezone = request.account_zone;
  // As the settings of an account would refuse it.
  if (!request.account_zone.empty() && !given.zones.find(request.account_zone))
    return fail(
        ErrorCode::unknown_timezone, given.zones.refusal(request.account_zone),
        {{"unknown_timezone", "/account_timezone", given.zones.refusal(request.account_zone), {}}});
  waits::WaitWorld world{request.now,      given.zones,        contact.timezone, account.timezone,
                         account.business, account.gap_policy, "preview"};
  if (auto* date = std::get_if<waits::UntilDate>(&config->kind); date && !date->date) {
    const Value& text =
        contact.fields.is_object() ? contact.fields.get(date->contact_field) : Value();
    date->date = text.is_string() ? parse_written_date(text.as_string()) : std::nullopt;
    if (!date->date)
      return refused_wait({{"contact_field_invalid",
                            "/contact_field",
                            request.contact_id.empty() ? "name the contact by contact_id"
                                                       : "the field of the contact holds no date",
                            {}}});
  }
  auto found = waits::resolve(*config, world);
  if (!found) return refused_wait({std::move(found).error()});
  Value answer = shown(*found);
  Value next = Value::array();
  for (const waits::WaitInstant& one :
       waits::occurrences(*config, world, static_cast<size_t>(request.count)))
    next.push(shown(one));
  answer.set("next", std::move(next));
  answer.set("tzdata", given.zones.version());
  return answer;
}

}  // namespace fermata::front
