#include "front/approval_query.h"

#include "front/fields.h"
#include "front/filter_reading.h"

namespace fermata::front {
namespace {

class ApprovalReading final : public FilterReading {
 public:
  explicit ApprovalReading(ApprovalFilter& filter) : filter_(filter) {}

 private:
  void one(const std::string& name, const std::string& value) override {
    if (name == "status") return statuses(value);
    if (name == "workflow_id") filter_.workflow = WorkflowId(value);
    if (name == "execution_id") filter_.run = RunId(value);
    if (name == "q") filter_.q = value;
  }
  void statuses(std::string_view list) {
    each(list, [&](std::string_view name) {
      if (auto status = approval_status_of(name)) {
        filter_.statuses.push_back(*status);
      } else {
        wrong("status", "`" + std::string(name) +
                            "` is none of pending, approved, rejected, expired and withdrawn.");
      }
    });
  }

  ApprovalFilter& filter_;
};

}  // namespace

Outcome<ApprovalFilter> read_approval_filter(const NamedValues& query, const AccountId& account) {
  ApprovalFilter filter;
  filter.account = account;
  ApprovalReading reading(filter);
  FERMATA_TRY_VOID(reading.read(query));
  return filter;
}

Outcome<ApprovalSelection> read_approval_selection(const Value& filter, const AccountId& account) {
  constexpr std::string_view names[] = {"status", "kind", "workflow_id", "execution_id", "q"};
  FERMATA_TRY(query, read_filter_object(filter, names, "/api/v1/approvals"));
  ApprovalSelection out;
  FERMATA_TRY(read, read_approval_filter(query, account));
  out.filter = std::move(read);
  if (const std::string* kind = find_value(query, "kind")) out.kind = *kind;
  if (!out.kind.empty() && out.kind != "job" && out.kind != "run")
    return bad_query("kind", "`job` or `run` is expected.");
  return out;
}

Outcome<approval::Vote> read_vote(const Value& body, bool approve) {
  Fields fields(body);
  approval::Vote vote;
  vote.approve = approve;
  fields.require("hash");
  vote.hash = fields.text("hash", 200).value_or("");
  if (!approve) fields.require("reason");
  std::string reason = fields.text("reason").value_or("");
  vote.comment = fields.text("note").value_or("");
  if (vote.comment.empty()) vote.comment = std::move(reason);
  FERMATA_TRY_VOID(fields.finish());
  return vote;
}

}  // namespace fermata::front
