#pragma once
#include "ports/accounts.h"
#include "ports/record/record.h"

namespace fermata::record {

std::string encode_account(const AccountRecord& record, uint64_t number);
std::optional<AccountRecord> decode_account(std::string_view record, uint64_t number);

std::string encode_rules(const WorkflowRules& rules, uint64_t number);
std::optional<WorkflowRules> decode_rules(std::string_view record, uint64_t number);

}  // namespace fermata::record
