#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "core/flow/checker.h"
#include "core/flow/durations.h"
#include "core/flow/library.h"
#include "core/flow/names.h"

/// Literals that a call of the library would refuse (F-57). What is not written out is left to
/// the call itself.
namespace fermata::flow {

namespace {

constexpr double delay_max_seconds = 3650.0 * 86'400;

std::string called_name(const Node& callee) {
  if (callee.kind == NodeKind::name) return std::string(callee.text);
  return std::string(callee.kids[0]->text) + "." + std::string(callee.text);
}

/// The type of a literal in the words of `typeof`; empty for anything that is no literal.
std::string_view literal_type(const Node& node) {
  switch (node.kind) {
    case NodeKind::literal:
      if (node.value.is_null()) return "null";
      if (node.value.is_bool()) return "boolean";
      return node.value.is_string() ? "string" : "number";
    case NodeKind::text_template: return "string";
    case NodeKind::array: return "array";
    case NodeKind::object: return "object";
    case NodeKind::function: return "function";
    case NodeKind::unary: {
      bool sign = node.op == Operator::negate || node.op == Operator::plus;
      return sign && literal_type(*node.kids[0]) == "number" ? "number" : "";
    }
    default: return "";
  }
}

/// The number that a literal, perhaps with a sign, stands for.
double number_of(const Node& node) {
  if (node.kind == NodeKind::unary) {
    double inner = number_of(*node.kids[0]);
    return node.op == Operator::negate ? -inner : inner;
  }
  return node.value.as_number();
}

std::string_view expected(Takes takes) {
  switch (takes) {
    case Takes::text: return "a string";
    case Takes::name: return "a string that is not empty";
    case Takes::number:
    case Takes::instant: return "a number";
    case Takes::count: return "a whole number of 0 or more";
    case Takes::positive: return "a whole number of 1 or more";
    case Takes::flag: return "true or false";
    case Takes::array: return "an array";
    case Takes::function: return "a function";
    case Takes::items: return "an array or an object";
    case Takes::key: return "a string or a number";
    case Takes::duration:
      return "seconds from 0 or a duration such as \"1h30m\", at most 3650 days";
    case Takes::shift: return "seconds or a duration such as \"1h30m\"";
    case Takes::until: return "RFC 3339 text, epoch milliseconds or an object";
    default: return "an object";
  }
}

bool is_whole(const Node& node, double least) {
  double number = number_of(node);
  return std::floor(number) == number && number >= least;
}

bool is_duration(const Node& node, std::string_view type, bool negative_too) {
  if (type == "number") {
    double seconds = number_of(node);
    return negative_too || (seconds >= 0 && seconds <= delay_max_seconds);
  }
  if (type != "string") return false;
  if (node.kind != NodeKind::literal) return true;
  auto read = read_duration(node.value.as_string());
  return read && (negative_too || static_cast<double>(read->ms) <= delay_max_seconds * 1000);
}

bool is_until(const Node& node, std::string_view type) {
  if (type == "string" && node.kind == NodeKind::literal) {
    return parse_rfc3339(node.value.as_string()).has_value();
  }
  return type == "string" || type == "number" || type == "object";
}

/// True when a literal of that type fits.
bool fits(const Node& node, std::string_view type, Takes takes) {
  switch (takes) {
    case Takes::any: return true;
    case Takes::text: return type == "string";
    case Takes::name: {
      bool empty =
          node.kind == NodeKind::literal && type == "string" && node.value.as_string().empty();
      return type == "string" && !empty;
    }
    case Takes::number:
    case Takes::instant: return type == "number";
    case Takes::count: return type == "number" && is_whole(node, 0);
    case Takes::positive: return type == "number" && is_whole(node, 1);
    case Takes::flag: return type == "boolean";
    case Takes::array: return type == "array";
    case Takes::function: return type == "function";
    case Takes::items: return type == "array" || type == "object";
    case Takes::key: return type == "string" || type == "number";
    case Takes::duration:
    case Takes::shift: return is_duration(node, type, takes == Takes::shift);
    case Takes::until: return is_until(node, type);
    default: return type == "object";
  }
}

bool is_among(std::string_view words, std::string_view word) {
  size_t at = 0;
  while (at < words.size()) {
    size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

void Checker::check_call(const Node& node) {
  const Node& callee = *node.kids[0];
  if (callee.builtin == no_builtin) return;
  const Signature* signature = signature_of(callee.builtin);
  if (signature == nullptr || signature->parameters.empty()) return;
  std::string name = called_name(callee);
  size_t required = builtin(callee.builtin).arguments_min;
  for (size_t i = 0; i + 1 < node.kids.size(); ++i) {
    const Node& argument = *node.kids[i + 1];
    if (argument.kind == NodeKind::spread) return;
    bool beyond = i >= signature->parameters.size();
    if (beyond && !signature->repeats_last) return;
    const Parameter& takes = beyond ? signature->parameters.back() : signature->parameters[i];
    bool left_out = i >= required && literal_type(argument) == "null";
    if (left_out) continue;
    check_argument(argument, takes, "argument " + std::to_string(i + 1) + " of " + name);
  }
}

void Checker::check_argument(const Node& argument, const Parameter& takes,
                             const std::string& what) {
  check_literal(argument, takes.takes, what);
  if (takes.takes == Takes::options && argument.kind == NodeKind::object) {
    check_options(argument, takes.options, what);
  }
}

void Checker::check_literal(const Node& literal, Takes takes, const std::string& what) {
  std::string_view type = literal_type(literal);
  if (type.empty() || fits(literal, type, takes)) return;
  add(Check::wrong_argument, literal,
      what + " must be " + std::string(expected(takes)) + ", not this " + std::string(type));
}

void Checker::check_options(const Node& object, std::span<const Option> known,
                            const std::string& what) {
  for (const Node* property : object.kids) {
    bool plain = property->kind == NodeKind::property && !property->computed &&
                 property->kids[0]->value.is_string();
    if (!plain) continue;
    std::string_view name = property->kids[0]->value.as_string();
    auto found = std::ranges::find(known, name, &Option::name);
    if (found == known.end()) {
      std::vector<std::string_view> names;
      for (const Option& option : known) names.push_back(option.name);
      add(Check::unknown_option, *property,
          what + " has no option " + quoted(name) + did_you_mean(name, names));
      continue;
    }
    const Node& value = *property->kids[1];
    std::string option = "the option " + quoted(name);
    if (literal_type(value) == "null") continue;
    check_literal(value, found->takes, option);
    if (found->takes == Takes::options && value.kind == NodeKind::object) {
      check_options(value, found->inner, option);
    }
    bool word = value.kind == NodeKind::literal && value.value.is_string();
    if (word && !found->words.empty() && !is_among(found->words, value.value.as_string())) {
      add(Check::wrong_argument, value, option + " must be one of: " + std::string(found->words));
    }
  }
}

}  // namespace fermata::flow
