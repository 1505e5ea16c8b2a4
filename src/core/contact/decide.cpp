#include "core/contact/decide.h"

#include <algorithm>

#include "base/overloaded.h"

namespace fermata::contact {
namespace {

Failure<Error> no_such(const Command& command) {
  return fail(ErrorCode::contact_not_found, "There is no contact `" + command.key.id + "`.");
}

AuditLine audit_of(const Command& command, Instant now, std::string action, std::string reason,
                   const WorkflowId& workflow) {
  AuditLine line{command.key.account, now, command.actor, std::move(action), command.key.id,
                 std::move(reason),   {}};
  if (!workflow.empty()) line.details = Value::object({{"workflow_id", workflow.text()}});
  return line;
}

/// Makes it, or makes it anew after it was deleted: nothing of what it was is left then.
void create(Contact& contact, const Command& command, Instant now) {
  uint64_t version = contact.version;
  contact = {};
  contact.account = command.key.account;
  contact.id = command.key.id;
  contact.version = version;
  contact.created_at = now;
}

void written(Contact& contact, Decision& decision, Instant now) {
  contact.updated_at = now;
  ++contact.version;
  decision.changed = true;
}

/// The members of `change` take the place of those they are named like; null takes one away.
Value merged(const Value& known, const Value& change) {
  Value out = Value::object();
  if (known.is_object())
    for (const Value::Member& member : known.members())
      if (change.find(member.key.as_string()) == nullptr)
        out.set(member.key.as_string(), member.value);
  for (const Value::Member& member : change.members())
    if (!member.value.is_null()) out.set(member.key.as_string(), member.value);
  return out.size() == 0 ? Value() : out;
}

Contact changed_by(Contact contact, const PutContact& put) {
  if (put.replaces) {
    contact.timezone.clear();
    contact.phone.clear();
    contact.email.clear();
    contact.fields = contact.labels = {};
  }
  if (put.timezone) contact.timezone = *put.timezone;
  if (put.phone) contact.phone = *put.phone;
  if (put.email) contact.email = *put.email;
  if (put.fields.is_object()) contact.fields = merged(contact.fields, put.fields);
  if (put.labels.is_object()) contact.labels = merged(contact.labels, put.labels);
  return contact;
}

Outcome<Decision> on_put(Contact& contact, const Command& command, const PutContact& put,
                         Instant now) {
  uint64_t version = contact.exists() ? contact.version : 0;
  if (put.if_version && *put.if_version != version)
    return fail(ErrorCode::version_conflict,
                "contact `" + command.key.id + "` is at version " + std::to_string(version));
  if (!contact.exists() && !put.replaces) return no_such(command);
  Decision decision;
  decision.created = !contact.exists();
  if (decision.created) create(contact, command, now);
  Contact next = changed_by(contact, put);
  if (!decision.created && next == contact) return decision;
  decision.followed = next.fields != contact.fields;
  contact = std::move(next);
  written(contact, decision, now);
  decision.audit.push_back(
      audit_of(command, now, decision.created ? "contact.create" : "contact.change", "", {}));
  return decision;
}

Outcome<Decision> on_opt_out(Contact& contact, const Command& command, const OptOut& out,
                             Instant now) {
  if (!contact.exists()) return no_such(command);
  Decision decision;
  decision.ends = EndRuns{out.workflow, "contact_opted_out"};
  bool is_out =
      out.workflow.empty() ? contact.opted_out_at.has_value() : contact.is_out_of(out.workflow);
  if (is_out) return decision;
  if (out.workflow.empty()) {
    contact.opted_out_at = now;
    contact.opt_out_reason = out.reason;
  } else {
    contact.opted_out_of.push_back(out.workflow.text());
    std::sort(contact.opted_out_of.begin(), contact.opted_out_of.end());
  }
  written(contact, decision, now);
  decision.audit.push_back(audit_of(command, now, "contact.opted_out", out.reason, out.workflow));
  return decision;
}

Outcome<Decision> on_opt_in(Contact& contact, const Command& command, const OptIn& in,
                            Instant now) {
  if (!contact.exists()) return no_such(command);
  Decision decision;
  size_t before = contact.opted_out_of.size();
  bool was_out = contact.opted_out_at.has_value();
  if (in.workflow.empty()) {
    contact.opted_out_at.reset();
    contact.opt_out_reason.clear();
    contact.opted_out_of.clear();
  } else {
    std::erase(contact.opted_out_of, in.workflow.text());
  }
  bool same = contact.opted_out_of.size() == before && contact.opted_out_at.has_value() == was_out;
  if (same) return decision;
  written(contact, decision, now);
  decision.audit.push_back(audit_of(command, now, "contact.opted_in", "", in.workflow));
  return decision;
}

Outcome<Decision> on_delete(Contact& contact, const Command& command, const DeleteContact& gone,
                            Instant now) {
  if (!contact.exists()) return no_such(command);
  Decision decision;
  Instant created_at = contact.created_at;
  create(contact, command, created_at);
  contact.deleted_at = now;
  written(contact, decision, now);
  decision.ends = EndRuns{{}, "contact_deleted"};
  decision.audit.push_back(audit_of(command, now, "contact.deleted", gone.reason, {}));
  return decision;
}

Outcome<Decision> on_remove(const Contact& contact, const Command& command,
                            const RemoveFromWorkflow& remove, Instant now) {
  if (!contact.exists()) return no_such(command);
  Decision decision;
  decision.ends = EndRuns{remove.workflow, "manual_removal"};
  decision.audit.push_back(
      audit_of(command, now, "contact.removed", remove.reason, remove.workflow));
  return decision;
}

Decision on_mention(Contact& contact, const Command& command, Instant now) {
  Decision decision;
  if (contact.exists()) return decision;
  create(contact, command, now);
  decision.created = true;
  written(contact, decision, now);
  return decision;
}

}  // namespace

Outcome<Decision> decide(Contact& contact, const Command& command, Instant now) {
  return std::visit(
      Overloaded{
          [&](const PutContact& body) { return on_put(contact, command, body, now); },
          [&](const OptOut& body) { return on_opt_out(contact, command, body, now); },
          [&](const OptIn& body) { return on_opt_in(contact, command, body, now); },
          [&](const DeleteContact& body) { return on_delete(contact, command, body, now); },
          [&](const RemoveFromWorkflow& body) { return on_remove(contact, command, body, now); },
          [&](const Mention&) -> Outcome<Decision> { return on_mention(contact, command, now); },
      },
      command.body);
}

}  // namespace fermata::contact
