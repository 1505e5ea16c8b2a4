#include "sim/model/flow_script.h"

/// Expressions of random scripts: always of the type that was asked for, whatever happens.
namespace fermata::sim::model {

std::string ScriptWriter::in_parentheses(std::string inner) {
  if (odd(0.05)) return "(\n  " + inner + "\n)";
  return "(" + inner + ")";
}

std::string ScriptWriter::expression(Type type, int depth) {
  if (depth >= shape_.depth_max) return literal(type);
  if (dice_.chance(0.3)) {
    if (const Variable* found = any_variable(type)) return found->name;
  }
  if (dice_.chance(0.15)) {
    if (const Callable* found = any_callable(type)) return call(*found, depth + 1);
  }
  if (shape_.effects && dice_.chance(0.06)) return task(type, depth + 1);
  if (dice_.chance(0.05)) {
    return in_parentheses(expression(Type::truth, depth + 1) + " ? " + expression(type, depth + 1) +
                          " : " + expression(type, depth + 1));
  }
  switch (type) {
    case Type::number: return number(depth + 1);
    case Type::text: return text(depth + 1);
    case Type::truth: return truth(depth + 1);
    case Type::list: return list(depth + 1);
    case Type::record: break;
  }
  return record(depth + 1);
}

std::string ScriptWriter::literal(Type type) {
  static constexpr std::string_view texts[] = {"''", "'a'", "\"b c\"", "'é😀'", "`x`", "'\\n'"};
  switch (type) {
    case Type::number: return std::to_string(dice_.below(20));
    case Type::text: return std::string(texts[dice_.below(std::size(texts))]);
    case Type::truth: return dice_.chance(0.5) ? "true" : "false";
    case Type::list: return "[" + literal(Type::number) + ", " + literal(Type::number) + "]";
    case Type::record: break;
  }
  return "{ n: " + literal(Type::number) + ", s: " + literal(Type::text) + " }";
}

std::string ScriptWriter::number(int depth) {
  auto operand = [&] { return expression(Type::number, depth); };
  switch (dice_.below(14)) {
    case 0: return in_parentheses(operand() + " + " + operand());
    case 1: return in_parentheses(operand() + " - " + operand());
    case 2: return in_parentheses(operand() + " * " + literal(Type::number));
    case 3: return "-" + in_parentheses(operand());
    case 4: return in_parentheses(operand() + " % 7");
    case 5: return in_parentheses(expression(Type::list, depth)) + ".length";
    case 6: return in_parentheses(expression(Type::text, depth)) + ".length";
    case 7: return "Math.max(" + operand() + ", " + operand() + ")";
    case 8: return in_parentheses(expression(Type::record, depth)) + ".n";
    case 9:
      return in_parentheses(in_parentheses(expression(Type::list, depth)) + "[" +
                            literal(Type::number) + "] ?? " + literal(Type::number));
    case 10:
      return in_parentheses(expression(Type::list, depth)) + ".reduce((a, x) => a + x, " +
             literal(Type::number) + ")";
    case 11:
      return in_parentheses(in_parentheses(expression(Type::record, depth)) + "?.missing?.n ?? " +
                            operand());
    case 12: return "Math.floor(" + operand() + " / 3)";
    default: return literal(Type::number);
  }
}

std::string ScriptWriter::text(int depth) {
  switch (dice_.below(9)) {
    case 0:
      return in_parentheses(expression(Type::text, depth) + " + " +
                            expression(Type::number, depth));
    case 1:
      return "`${" + expression(Type::number, depth) + "}:${" + expression(Type::text, depth) +
             "}`";
    case 2: return in_parentheses(expression(Type::text, depth)) + ".slice(0, 3)";
    case 3: return "String(" + expression(Type::truth, depth) + ")";
    case 4: return in_parentheses(expression(Type::list, depth)) + ".join('-')";
    case 5: return in_parentheses(expression(Type::record, depth)) + "['s']";
    case 6: return "typeof " + in_parentheses(expression(any_type(), depth));
    case 7: return "JSON.stringify(" + expression(Type::record, depth) + ")";
    default: return literal(Type::text);
  }
}

std::string ScriptWriter::truth(int depth) {
  static constexpr std::string_view orders[] = {"<", "<=", ">", ">=", "==", "!=", "===", "!=="};
  std::string order(orders[dice_.below(std::size(orders))]);
  switch (dice_.below(7)) {
    case 0:
      return in_parentheses(expression(Type::number, depth) + " " + order + " " +
                            expression(Type::number, depth));
    case 1: return "!" + in_parentheses(expression(Type::truth, depth));
    case 2:
      return in_parentheses(expression(Type::truth, depth) + " && " +
                            expression(Type::truth, depth));
    case 3:
      return in_parentheses(expression(Type::truth, depth) + " || " +
                            expression(Type::truth, depth));
    case 4:
      return in_parentheses(expression(Type::list, depth)) + ".includes(" +
             expression(Type::number, depth) + ")";
    case 5: return in_parentheses("'n' in " + expression(Type::record, depth));
    default: return literal(Type::truth);
  }
}

std::string ScriptWriter::list(int depth) {
  auto inner = [&] { return in_parentheses(expression(Type::list, depth)); };
  switch (dice_.below(7)) {
    case 0: return "[" + expression(Type::number, depth) + ", ..." + inner() + ".slice(0, 5)]";
    case 1: return inner() + ".map(x => x + " + literal(Type::number) + ")";
    case 2: return inner() + ".filter((x, i) => x % 2 == 0 || i > 2)";
    case 3: return inner() + ".toSorted((a, b) => b - a)";
    case 4: return "Object.values({ a: " + expression(Type::number, depth) + ", b: 1 })";
    case 5: return inner() + ".slice(0, 4)";
    default: return literal(Type::list);
  }
}

std::string ScriptWriter::record(int depth) {
  std::string n = expression(Type::number, depth);
  std::string s = expression(Type::text, depth);
  switch (dice_.below(4)) {
    case 0: return "({ ..." + expression(Type::record, depth) + ", n: " + n + " })";
    case 1: return "({ ['s']: " + s + ", n: " + n + ", f() { return 1 } })";
    case 2: return "({\n  n: " + n + ",\n  s: " + s + ",\n})";
    default: return "({ n: " + n + ", s: " + s + " })";
  }
}

std::string ScriptWriter::call(const Callable& called, int depth) {
  std::string out = called.is_async ? "(await " + called.name + "(" : called.name + "(";
  for (size_t i = 0; i < called.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += expression(called.parameters[i], depth);
  }
  return out + (called.is_async ? "))" : ")");
}

std::string ScriptWriter::task(Type type, int depth) {
  std::string input =
      "{ n: " + expression(Type::number, depth) + ", s: " + literal(Type::text) + " }";
  if (!shape_.task_options.empty()) input += ", " + shape_.task_options;
  auto run = [&](const char* name) {
    return "Task.run('" + std::string(name) + "', " + input + ")";
  };
  switch (type) {
    case Type::number: return "(await " + run("number") + ")";
    case Type::text: return "(await " + run("text") + ")";
    case Type::list:
      return dice_.chance(0.5)
                 ? "(await " + run("list") + ")"
                 : "(await Task.all([" + run("number") + ", " + literal(Type::number) + "]))";
    case Type::truth: return "((await Task.delay(" + std::to_string(dice_.below(3)) + ")) == null)";
    case Type::record: break;
  }
  return "(await Promise.all({ n: " + run("number") + ", s: " + run("text") + " }))";
}

}  // namespace fermata::sim::model
