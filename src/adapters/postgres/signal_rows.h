#pragma once
#include <span>

#include "adapters/postgres/connection.h"
#include "ports/contacts.h"
#include "ports/reader.h"

namespace fermata::postgres {

// What is asked of signals, contacts, deliveries and approvals, over one connection.

Outcome<std::vector<std::optional<SignalRecord>>> load_signals(Connection& connection,
                                                               std::span<const SignalKey> keys);
Outcome<SignalStore::Windowed> signals_in_window(Connection& connection, const SignalWindow& window,
                                                 uint64_t after, size_t limit);
Outcome<SignalStore::OpenSignals> open_signals(Connection& connection, uint64_t after,
                                               size_t limit);
Outcome<SignalPage> list_signals(Connection& connection, const SignalFilter& filter, size_t limit,
                                 uint64_t before);

Outcome<std::vector<Contact>> load_contacts(Connection& connection,
                                            std::span<const ContactKey> keys);
/// Oldest first.
Outcome<std::vector<Contact>> contacts_at(Connection& connection, const AccountId& account,
                                          ContactAddress address, const std::string& key);
Outcome<ContactPage> list_contacts(Connection& connection, const ContactFilter& filter,
                                   size_t limit, const std::string& cursor);

Outcome<std::vector<Delivery>> load_deliveries(Connection& connection,
                                               std::span<const std::string> ids);
Outcome<PendingDeliveryPage> pending_deliveries(Connection& connection, uint64_t after,
                                                size_t limit);
Outcome<DeliveryPage> list_deliveries(Connection& connection, const DeliveryFilter& filter,
                                      size_t limit, uint64_t before);

Outcome<std::optional<ApprovalRecord>> find_approval(Connection& connection, const std::string& id);
Outcome<ApprovalPage> list_approvals(Connection& connection, const ApprovalFilter& filter,
                                     size_t limit, uint64_t before);

}  // namespace fermata::postgres
