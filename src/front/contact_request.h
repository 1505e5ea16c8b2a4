#pragma once
#include "core/contact/decide.h"
#include "core/wait/zone_table.h"
#include "front/run_query.h"
#include "ports/contacts.h"
#include "ports/reader.h"

namespace fermata::front {

/// The body of `PUT` (replaces) or `PATCH /contacts/{id}` (W-25). Fails with invalid_contact.
Outcome<contact::PutContact> read_contact(const Value& body, bool replaces);

/// {workflow_id?, reason?} of opt-out and opt-in (W-26).
struct OptRequest {
  WorkflowId workflow;
  std::string reason;
};
Outcome<OptRequest> read_opt(const Value& body);

/// `phone`, `email`, `q`, `opted_out`.
Outcome<ContactFilter> read_contact_filter(const NamedValues& query, const AccountId& account);

/// A contact as the API shows it. `next` is its pending wait that is due first, if it has one.
struct ContactShown {
  const Contact& contact;
  const ZoneTable& zones;
  uint64_t pending_waits = 0;
  const WaitRecord* next = nullptr;
};
Value contact_view(const ContactShown& shown);

}  // namespace fermata::front
