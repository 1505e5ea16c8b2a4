#include "base/json.h"
#include "base/random.h"
#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/unresolved.h"
#include "core/graph/template_part.h"

namespace fermata::graph {

namespace {

using Part = Template::Part;

/// As in the machine: moving text costs a step for so many bytes.
constexpr size_t text_bytes_per_step = 16;

/// One step of a path, by the rules of the language: `length` belongs to lists and texts. Nothing
/// is copied on the way; what has to be made is kept in `made`.
const Value* follow(const Value& from, const Reference::Step& step, Value& made) {
  if (!step.by_index) {
    if (const Value* found = from.find(step.field)) return found;
    bool has_length = from.is_array() || from.is_string();
    if (step.field != "length" || !has_length) return nullptr;
    made = Value(from.is_array() ? from.size() : utf8_length(from.as_string()));
    return &made;
  }
  if (from.is_array()) return step.index < from.size() ? &from.items()[step.index] : nullptr;
  if (from.is_object()) return from.find(std::to_string(step.index));
  if (!from.is_string()) return nullptr;
  std::string text(from.as_string());
  size_t at = flow::utf8::offset_of(text, step.index);
  if (at >= text.size()) return nullptr;
  made = Value(std::string_view(text).substr(at, flow::utf8::width(text[at])));
  return &made;
}

/// Evaluates a whole template before it says what is wrong, so that every unresolved reference is
/// named at once (G-15).
class Evaluator {
 public:
  Evaluator(const flow::Roots& roots, const flow::EvalGiven& given)
      : roots_(roots), given_(given), dice_(given.entropy) {}

  Result<Value, flow::EvalError> run(const Part& part) {
    Value out = evaluate(part);
    if (error_) return Failure{*std::move(error_)};
    return out;
  }

 private:
  bool stopped() const { return error_ && error_->code != "unresolved_reference"; }

  void fail(flow::EvalError error) {
    bool joins = error_ && error.code == error_->code && error_->code == "unresolved_reference";
    if (joins) {
      Value all = error_->details.get("references");
      for (const Value& one : error.details.get("references").items()) all.push(one);
      error_->details.set("references", std::move(all));
      error_->message += "; " + error.message;
    } else {
      error_ = std::move(error);
    }
  }

  Value evaluate(const Part& part) {
    if (stopped()) return {};
    switch (part.kind) {
      case Part::Kind::constant: return part.value;
      case Part::Kind::reference: return resolve(part.reference);
      case Part::Kind::expression: return compute(part.expression);
      case Part::Kind::text: return write(part);
      case Part::Kind::array: return build_array(part);
      case Part::Kind::object: return build_object(part);
    }
    return {};
  }

  /// Work that no machine does costs too, or a text made for each of many elements were free.
  bool charge(uint64_t steps) {
    if (!given_.pool || given_.pool->charge(steps)) return true;
    given_.pool->left = 0;
    fail({"expression_limit", flow::pool_exhausted(*given_.pool), {}, 0, 0});
    return false;
  }

  Value resolve(const Reference& reference) {
    if (!charge(1 + reference.steps.size())) return {};
    std::optional<Value> root = roots_.root(reference.root);
    const Value* value = root ? &*root : nullptr;
    Value made;
    size_t end = reference.root_end;
    for (const Reference::Step& step : reference.steps) {
      if (value == nullptr) break;
      value = follow(*value, step, made);
      end = step.end;
    }
    if (value != nullptr) return *value;
    fail(flow::unresolved_reference(reference.text, reference.text.substr(0, end)));
    return {};
  }

  Value compute(const flow::Expression& expression) {
    // Two expressions of one template must not draw the same number.
    given_.entropy = dice_.next();
    auto value = flow::evaluate(expression, roots_, given_);
    if (value) return *std::move(value);
    fail(std::move(value).error());
    return {};
  }

  Value write(const Part& part) {
    std::string out;
    for (const Part& piece : part.parts) {
      Value value = evaluate(piece);
      if (stopped()) return {};
      size_t before = out.size();
      out += to_text(value);
      if (!charge((out.size() - before) / text_bytes_per_step)) return {};
      if (out.size() > given_.limits.text_bytes_max) {
        fail({"expression_limit",
              "the text has more than " + std::to_string(given_.limits.text_bytes_max) +
                  " bytes (graph_expression_text_bytes_max)",
              {},
              0,
              0});
        return {};
      }
    }
    return Value(out);
  }

  Value build_array(const Part& part) {
    std::vector<Value> items;
    items.reserve(part.parts.size());
    for (const Part& inner : part.parts) items.push_back(evaluate(inner));
    return Value::array(std::move(items));
  }

  Value build_object(const Part& part) {
    Value out = Value::object();
    out.reserve(part.parts.size());
    for (size_t i = 0; i < part.parts.size(); ++i) {
      out.set(part.keys[i].as_string(), evaluate(part.parts[i]));
    }
    return out;
  }

  const flow::Roots& roots_;
  flow::EvalGiven given_;
  Random dice_;
  std::optional<flow::EvalError> error_;
};

}  // namespace

Result<Value, flow::EvalError> evaluate(const Template& value, const flow::Roots& roots,
                                        const flow::EvalGiven& given) {
  return Evaluator(roots, given).run(value.part());
}

}  // namespace fermata::graph
