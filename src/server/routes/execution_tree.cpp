#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t tree_runs_max = 1'000;  ///< in one answer
constexpr size_t tree_depth_max = 64;    ///< generations above and below

/// The oldest ancestor that is still stored.
Outcome<RunSummary> root_of(Api& api, RunSummary run) {
  for (size_t up = 0; up < tree_depth_max && !run.parent.empty(); ++up) {
    FERMATA_TRY(parent, api.reader().summary(run.parent));
    if (!parent || parent->account != run.account) break;
    run = *std::move(parent);
  }
  return run;
}

struct Branch {
  RunSummary run;
  size_t depth = 0;
  std::vector<size_t> children{};
};

struct Tree {
  std::vector<Branch> branches;  ///< the root first, then generation by generation
  bool truncated = false;
};

/// All children of one, oldest first.
Outcome<std::vector<RunSummary>> children_of(Api& api, const RunSummary& run, size_t room,
                                             bool& truncated) {
  RunFilter filter;
  filter.account = run.account;
  filter.parent = run.id;
  FERMATA_TRY(page, api.reader().list(filter, room, ""));
  truncated = truncated || !page.next_cursor.empty();
  return std::vector<RunSummary>(std::make_move_iterator(page.items.rbegin()),
                                 std::make_move_iterator(page.items.rend()));
}

Outcome<Tree> grow(Api& api, RunSummary root) {
  Tree tree;
  tree.branches.push_back({std::move(root)});
  for (size_t at = 0; at < tree.branches.size(); ++at) {
    size_t room = tree_runs_max - tree.branches.size();
    size_t depth = tree.branches[at].depth + 1;
    if (room == 0 || depth > tree_depth_max) {
      tree.truncated = true;
      break;
    }
    FERMATA_TRY(children, children_of(api, tree.branches[at].run, room, tree.truncated));
    for (RunSummary& child : children) {
      tree.branches[at].children.push_back(tree.branches.size());
      tree.branches.push_back({std::move(child), depth});
    }
  }
  return tree;
}

/// Children stand behind their parent, so the last are made first.
Value tree_value(const Tree& tree) {
  std::vector<Value> made(tree.branches.size());
  for (size_t i = tree.branches.size(); i-- > 0;) {
    const Branch& branch = tree.branches[i];
    Value children = Value::array();
    for (size_t child : branch.children) children.push(std::move(made[child]));
    Value one = view::list_item(branch.run);
    if (!branch.run.origin.empty()) one.set("origin", branch.run.origin.text());
    one.set("children", std::move(children));
    made[i] = std::move(one);
  }
  return std::move(made[0]);
}

Outcome<Value> tree_of(Api& api, const Call& call) {
  FERMATA_TRY(own, own_run(api, call));
  std::string asked = own.id.text();
  FERMATA_TRY(root, root_of(api, std::move(own)));
  FERMATA_TRY(tree, grow(api, std::move(root)));
  return Value::object({{"execution_id", asked},
                        {"root", tree_value(tree)},
                        {"count", tree.branches.size()},
                        {"truncated", tree.truncated}});
}

}  // namespace

void execution_tree(Api& api, Call call) {
  auto answer = tree_of(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
