#include "base/json.h"
#include "core/run/approval_view.h"
#include "test/scenario/player.h"

namespace fermata::scenario {

/// The newest approval that was asked for at a step of the run.
ApprovalRecord Player::approval_at(const RunId& run, const std::string& step, Words& words) {
  auto page = world_->store().list_approvals({.run = run}, 1'000, "");
  if (!page) words.fail("the approvals cannot be read");
  for (const ApprovalRecord& record : page->items)
    if (record.approval.step == step) return record;
  words.fail("nobody was asked at " + step);
}

/// `approve STEP [by WHO] [role ROLE] [hash HASH] [own] [COMMENT…]`; the answer is to what is asked
/// unless it names another hash.
Command Player::approval_command(bool approve, Words& words) {
  ApprovalRecord record = approval_at(id(), words.word("a step"), words);
  AnswerApproval answer{record.approval.id, {approve, record.approval.hash, "", "operator", false}};
  std::string by = "anna";
  if (words.accept("by")) by = words.word("who answers");
  if (words.accept("role")) answer.vote.role = words.word("a role");
  if (words.accept("hash")) answer.vote.hash = words.word("a hash");
  answer.vote.may_be_own = words.accept("own");
  answer.vote.comment = std::string(words.rest());
  while (!words.empty()) words.word("a comment");
  return {id(), std::move(answer), by};
}

/// The same question of the other run.
std::string Player::twin_approval(const std::string& approval, const RunId& twin) {
  auto record = world_->store().find_approval(approval);
  if (!record || !*record) return approval;
  auto page = world_->store().list_approvals({.run = twin}, 1'000, "");
  if (!page) return approval;
  for (const ApprovalRecord& other : page->items)
    if (other.approval.number == (*record)->approval.number &&
        other.approval.hash == (*record)->approval.hash)
      return other.approval.id;
  return approval;
}

void Player::expect_approval(Words& words) {
  ApprovalRecord record = approval_at(id(), words.word("a step"), words);
  if (!words.empty()) expect_at(words, "approval", view::approval(record, world_->clock().now()));
}

/// The rows of the store are what the run knows of its questions.
void Player::check_approvals(const RunId& run, const Run& state) {
  int end = section_.lines.empty() ? section_.number : section_.lines.back().number;
  auto page = world_->store().list_approvals({.run = run}, 10'000, "");
  if (!page) return fail(end, "the approvals cannot be read");
  size_t open = 0;
  for (const ApprovalRecord& record : page->items)
    if (record.approval.status == ApprovalStatus::pending) ++open;
  if (open != state.approvals.size())
    fail(end, "the store and the run disagree about what is asked");
}

}  // namespace fermata::scenario
