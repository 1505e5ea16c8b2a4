#include "core/approval/vote.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/json.h"

namespace fermata::approval {
namespace {

/// Each stands for those after it too.
constexpr std::array<std::string_view, 4> roles = {"operator", "editor", "admin", "root"};
constexpr std::string_view key_prefix = "key:";
constexpr size_t approvers_max = 32;

size_t rank_of(std::string_view role) {
  return static_cast<size_t>(std::find(roles.begin(), roles.end(), role) - roles.begin());
}

bool is_approver(std::string_view text) {
  if (text.starts_with(key_prefix)) return text.size() > key_prefix.size();
  return rank_of(text) < roles.size();
}

bool covers(const std::string& approver, std::string_view role, std::string_view actor) {
  if (approver.starts_with(key_prefix)) return actor == approver.substr(key_prefix.size());
  size_t rank = rank_of(role);
  return rank < roles.size() && rank >= rank_of(approver);
}

std::string listed(const std::vector<std::string>& approvers) {
  std::string out;
  for (const std::string& one : approvers) out += (out.empty() ? "" : ", ") + one;
  return out;
}

}  // namespace

Outcome<void> may_vote(const Terms& terms, const Vote& vote, const std::string& actor) {
  auto names = [&](const std::vector<std::string_view>& people) {
    return !actor.empty() && std::find(people.begin(), people.end(), actor) != people.end();
  };
  if (vote.hash != terms.hash)
    return fail(
        ErrorCode::approval_stale_request,
        "the answer is for another question: the hash of this one is " + std::string(terms.hash));
  if (!vote.may_be_own && names(terms.asked_by))
    return fail(ErrorCode::approval_by_submitter, "who asks for something does not approve it");
  bool covered = std::any_of(terms.approvers.begin(), terms.approvers.end(),
                             [&](const auto& one) { return covers(one, vote.role, actor); });
  if (!covered)
    return fail(ErrorCode::forbidden, "this is for " + listed(terms.approvers) + " to answer");
  if (vote.approve && names(terms.voted))
    return fail(ErrorCode::approval_already_voted, actor + " has approved it already");
  return {};
}

std::string hash_of(std::string_view kind, const Value& asked) {
  return sha256_hex("fermata." + std::string(kind) + ".v1\n" + to_canonical_json(asked));
}

Result<std::vector<std::string>, std::string> read_approvers(const Value& written) {
  if (written.is_null()) return std::vector<std::string>{std::string(roles.front())};
  std::vector<std::string> out;
  auto add = [&](const Value& one) {
    if (!one.is_string() || !is_approver(one.as_string())) return false;
    std::string text(one.as_string());
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    return true;
  };
  bool good = true;
  if (written.is_array()) {
    good = written.size() > 0 && written.size() <= approvers_max;
    for (const Value& one : written.items()) good = add(one) && good;
  } else {
    good = add(written);
  }
  if (good) return out;
  return Failure{
      std::string("approvers are roles (operator, editor, admin, root) or key:ID, at "
                  "least one and at most 32")};
}

}  // namespace fermata::approval
