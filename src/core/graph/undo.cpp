#include "core/graph/undo.h"

#include <algorithm>

#include "core/graph/advance.h"
#include "core/graph/token_roots.h"

namespace fermata::graph {

namespace {

/// Parts that may hold references; all others are read when the definition is stored.
constexpr std::string_view filled_parts[] = {"input", "labels", "env"};

/// What `$name` means to a compensation: the job's own output under its node's name.
class UndoRoots : public flow::Roots {
 public:
  UndoRoots(const flow::Roots& others, const std::string& own, const Value* output)
      : others_(others), own_(own), output_(output) {}
  std::optional<Value> root(std::string_view name) const override {
    if (output_ && name == own_) return *output_;
    return others_.root(name);
  }

 private:
  const flow::Roots& others_;
  const std::string& own_;
  const Value* output_;
};

/// Walks what was written, string by string. Values never become source: a string that was filled
/// in before is taken as it is.
class UndoFiller {
 public:
  UndoFiller(Step& step, const Node& node, const flow::Roots& roots, bool ended)
      : step_(step), node_(node), roots_(roots), ended_(ended) {}

  /// `known`: the same part as it was filled in when the job was ordered.
  Value fill(const Value& written, const Value& known) {
    if (written.is_string()) return fill_text(written, known);
    if (written.is_array()) {
      Value list = Value::array();
      for (size_t i = 0; i < written.size(); ++i)
        list.push(fill(written.items()[i],
                       known.is_array() && i < known.size() ? known.items()[i] : Value()));
      return list;
    }
    if (!written.is_object()) return written;
    Value object = Value::object();
    for (const auto& [key, value] : written.members())
      object.set(key.as_string(), fill(value, known.get(key.as_string())));
    return object;
  }
  const std::optional<NodeError>& problem() const { return problem_; }

 private:
  Value fill_text(const Value& written, const Value& known) {
    std::vector<Finding> told;
    Template parsed = parse_template(written, step_.run.definition->names, "", told);
    std::vector<std::string> roots = parsed.roots();
    bool needs_output = std::find(roots.begin(), roots.end(), node_.name) != roots.end();
    if (needs_output && !ended_) return written;
    if (!needs_output && ended_) return known;
    auto value = evaluate(parsed, roots_, expression_given(step_));
    if (value) return *std::move(value);
    Failure<NodeError> failure = node_failure(value.error());
    if (!problem_) problem_ = std::move(failure.value);
    return {};
  }

  Step& step_;
  const Node& node_;
  const flow::Roots& roots_;
  bool ended_;
  std::optional<NodeError> problem_;
};

void complete(Step& step, const Node& node, const flow::Roots& others, const Value& output,
              saga::Work& work) {
  const Value& written = node.raw.get("compensation");
  if (!written.is_object()) return;
  begin_activation(step);
  UndoRoots roots(others, node.name, &output);
  UndoFiller filler(step, node, roots, true);
  for (std::string_view part : filled_parts)
    if (written.find(part) && work.undo.find(part))
      work.undo.set(part, filler.fill(written.get(part), Value(work.undo.get(part))));
  if (filler.problem())
    work.problem = "its compensation cannot be made: " + filler.problem()->message;
}

}  // namespace

Result<Value, NodeError> undo_when_ordered(Step& step, TokenId id) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  const Node& node = run.definition->nodes[token.node];
  Value undo = node.raw.get("compensation");
  if (!undo.is_object()) return Value();
  TokenRoots roots(step, token.lineage, token.context);
  UndoFiller filler(step, node, roots, false);
  for (std::string_view part : filled_parts)
    if (const Value* written = undo.find(part)) undo.set(part, filler.fill(Value(*written), {}));
  if (filler.problem()) return Failure{*filler.problem()};
  return undo;
}

void complete_undo(Step& step, TokenId id, const Value& output, saga::Work& work) {
  const Run& run = step.run;
  const Token& token = run.tokens.at(id);
  TokenRoots roots(step, token.lineage, token.context);
  complete(step, run.definition->nodes[token.node], roots, output, work);
}

void complete_late_undo(Step& step, saga::Work& work) {
  const Run& run = step.run;
  auto node = run.definition->node_by_id(work.step);
  if (!node || run.definition->is_script()) return;
  Context nothing;
  TokenRoots roots(step, {}, nothing);
  Value output = Value::object({{"job_id", work.job.text()}, {"output", work.output}});
  complete(step, run.definition->nodes[*node], roots, output, work);
}

}  // namespace fermata::graph
