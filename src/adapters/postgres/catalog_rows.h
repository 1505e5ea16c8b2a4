#pragma once
#include "adapters/postgres/connection.h"
#include "ports/catalog.h"

namespace fermata::postgres {

// What is asked of definitions, workflows, keys, credentials and marks, over one connection.

Outcome<std::optional<WorkflowRecord>> find_workflow(Connection& connection,
                                                     const AccountId& account,
                                                     const WorkflowId& id);
Outcome<WorkflowPage> list_workflows(Connection& connection, const AccountId& account, size_t limit,
                                     const std::string& cursor);
Outcome<std::vector<WorkflowVersion>> list_versions(Connection& connection,
                                                    const AccountId& account, const WorkflowId& id);
Outcome<std::optional<WorkflowRecord>> find_webhook(Connection& connection,
                                                    const std::string& guid);
Outcome<std::optional<std::string>> find_definition(Connection& connection,
                                                    const DefinitionHash& hash);
Outcome<std::optional<KeyRecord>> find_key(Connection& connection, const std::string& id);
Outcome<std::vector<KeyRecord>> list_keys(Connection& connection, const AccountId& account);
Outcome<bool> any_key(Connection& connection);
Outcome<std::optional<CredentialRecord>> find_credential(Connection& connection,
                                                         const AccountId& account,
                                                         const std::string& id);
Outcome<std::optional<CredentialRecord>> find_credential_named(Connection& connection,
                                                               const AccountId& account,
                                                               const std::string& name);
Outcome<CredentialPage> list_credentials(Connection& connection, const AccountId& account,
                                         size_t limit, const std::string& cursor);
Outcome<std::vector<AccountId>> accounts_with_credentials(Connection& connection);
Outcome<std::optional<IdempotencyMark>> find_mark(Connection& connection, const AccountId& account,
                                                  const std::string& key);

// What is written of them, within a transaction of the caller.

Outcome<void> store_workflow(Connection& connection, const WorkflowRecord& workflow);
/// With its definition, unless that is there.
Outcome<void> store_version(Connection& connection, const WorkflowPut& put, uint32_t version);
Outcome<void> drop_version(Connection& connection, const AccountId& account, const WorkflowId& id,
                           uint32_t version);
Outcome<void> drop_workflow(Connection& connection, const AccountId& account, const WorkflowId& id);
Outcome<void> store_key(Connection& connection, const KeyRecord& key);
Outcome<void> store_credential(Connection& connection, const CredentialRecord& credential);
Outcome<void> drop_credential(Connection& connection, const AccountId& account,
                              const std::string& id);
Outcome<void> store_mark(Connection& connection, const IdempotencyMark& mark);

}  // namespace fermata::postgres
