#include "ports/record/account_record.h"

#include "base/fields.h"

namespace fermata::record {
namespace {

template <class Fields, class Record>
void account_fields(Fields f, Record& record) {
  f(record.account);
  f(record.settings);
  f(record.sealed_secret);
  f(record.revision);
  f(record.updated_at);
}
template <class Fields, class Record>
void rules_fields(Fields f, Record& rules) {
  f(rules.account);
  f(rules.workflow);
  f(rules.inactive);
  f(rules.goals);
  f(rules.triggers);
  f(rules.revision);
  f(rules.updated_at);
}

}  // namespace

std::string encode_account(const AccountRecord& record, uint64_t number) {
  ByteWriter out;
  FieldWriter writer(out);
  account_fields([&](const auto& field) { writer.put(field); }, record);
  return seal(out.take(), number);
}

std::optional<AccountRecord> decode_account(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  FieldReader reader(in);
  AccountRecord out;
  account_fields([&](auto& field) { reader.take(field); }, out);
  if (!in.done()) return std::nullopt;
  return out;
}

std::string encode_rules(const WorkflowRules& rules, uint64_t number) {
  ByteWriter out;
  FieldWriter writer(out);
  rules_fields([&](const auto& field) { writer.put(field); }, rules);
  return seal(out.take(), number);
}

std::optional<WorkflowRules> decode_rules(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  FieldReader reader(in);
  WorkflowRules out;
  rules_fields([&](auto& field) { reader.take(field); }, out);
  if (!in.done()) return std::nullopt;
  return out;
}

}  // namespace fermata::record
