#include "front/contact_request.h"

#include "base/json.h"
#include "front/fields.h"
#include "front/start_request.h"

namespace fermata::front {
namespace {

constexpr size_t zone_bytes_max = 100;
constexpr size_t phone_bytes_max = 50;
constexpr size_t email_bytes_max = 254;
constexpr size_t fields_bytes_max = 65'536;
constexpr size_t fields_max = 500;

/// The request is refused as one that describes no contact, whatever is wrong with it.
Outcome<void> finished(Fields& fields) {
  auto done = fields.finish();
  if (done) return {};
  Error error = done.error();
  if (error.code == ErrorCode::unknown_field) return Failure{std::move(error)};
  error.code = ErrorCode::invalid_contact;
  for (Finding& finding : error.findings)
    if (finding.code == "invalid_field") finding.code = "invalid_contact";
  return Failure{std::move(error)};
}

/// Null, like an empty text, takes it away.
std::optional<std::string> text_or_nothing(Fields& fields, const Value& body, std::string_view name,
                                           size_t bytes_max) {
  const Value* given = body.is_object() ? body.find(name) : nullptr;
  if (given && (given->is_null() || *given == Value(""))) {
    fields.any(name);
    return std::string();
  }
  return fields.text(name, bytes_max);
}

void check_fields(Fields& fields, const Value& values) {
  if (values.is_null()) return;
  if (values.size() > fields_max)
    fields.wrong("fields", "At most " + std::to_string(fields_max) + " fields are allowed.");
  if (to_json(values).size() > fields_bytes_max)
    fields.wrong("fields", "The fields have at most 64 KiB in all.");
}

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }
Value object_or_empty(const Value& value) { return value.is_null() ? Value::object() : value; }

Value shown_next(const ContactShown& shown) {
  if (shown.next == nullptr) return {};
  const WaitRecord& next = *shown.next;
  auto zone = shown.zones.find(shown.contact.timezone);
  Value local;
  if (zone && next.wait.due) local = to_text(zone->local_at(*next.wait.due));
  return Value::object({{"due_at", to_rfc3339(due_or_never(next.wait))},
                        {"local", std::move(local)},
                        {"workflow_id", next.workflow.text()},
                        {"step_id", next.wait.step}});
}

}  // namespace

Outcome<contact::PutContact> read_contact(const Value& body, bool replaces) {
  contact::PutContact put;
  put.replaces = replaces;
  Fields fields(body);
  put.timezone = text_or_nothing(fields, body, "timezone", zone_bytes_max);
  put.phone = text_or_nothing(fields, body, "phone", phone_bytes_max);
  if (put.phone && !put.phone->empty() && phone_key(*put.phone).empty())
    fields.wrong("phone", "A telephone number is expected.");
  put.email = text_or_nothing(fields, body, "email", email_bytes_max);
  if (put.email && !put.email->empty() && put.email->find('@') == std::string::npos)
    fields.wrong("email", "An address of mail is expected.");
  put.fields = fields.object("fields");
  check_fields(fields, put.fields);
  put.labels = fields.object("labels");
  // A label that is null is taken away.
  if (put.labels.is_object()) {
    Value kept = Value::object();
    for (const Value::Member& label : put.labels.members())
      if (!label.value.is_null()) kept.set(label.key.as_string(), label.value);
    fields.add(check_labels(kept));
  }
  FERMATA_TRY_VOID(finished(fields));
  return put;
}

Outcome<OptRequest> read_opt(const Value& body) {
  OptRequest request;
  Fields fields(body);
  request.workflow = WorkflowId(fields.id("workflow_id").value_or(""));
  request.reason = fields.text("reason").value_or("");
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

Outcome<ContactFilter> read_contact_filter(const NamedValues& query, const AccountId& account) {
  ContactFilter filter;
  filter.account = account;
  auto take = [&](std::string_view name, std::string& into) {
    if (const std::string* text = find_value(query, name)) into = *text;
  };
  take("phone", filter.phone);
  take("email", filter.email);
  take("q", filter.q);
  if (find_value(query, "opted_out") != nullptr) {
    FERMATA_TRY(opted_out, read_flag(query, "opted_out"));
    filter.opted_out = opted_out;
  }
  return filter;
}

Value contact_view(const ContactShown& shown) {
  const Contact& contact = shown.contact;
  Value workflows = Value::array();
  for (const std::string& workflow : contact.opted_out_of) workflows.push(workflow);
  Value warnings = Value::array();
  if (!contact.timezone.empty() && !shown.zones.find(contact.timezone))
    warnings.push("The zone cannot be used and counts as missing: " +
                  shown.zones.refusal(contact.timezone));
  return Value::object(
      {{"contact_id", contact.id},
       {"account_id", contact.account.text()},
       {"timezone", text_or_null(contact.timezone)},
       {"phone", text_or_null(contact.phone)},
       {"email", text_or_null(contact.email)},
       {"fields", object_or_empty(contact.fields)},
       {"labels", object_or_empty(contact.labels)},
       {"opted_out", contact.opted_out_at.has_value()},
       {"opted_out_at", contact.opted_out_at ? Value(to_rfc3339(*contact.opted_out_at)) : Value()},
       {"opt_out_reason", text_or_null(contact.opt_out_reason)},
       {"opted_out_of", std::move(workflows)},
       {"pending_waits", shown.pending_waits},
       {"next", shown_next(shown)},
       {"created_at", to_rfc3339(contact.created_at)},
       {"updated_at", to_rfc3339(contact.updated_at)},
       {"version", contact.version},
       {"warnings", std::move(warnings)}});
}

}  // namespace fermata::front
