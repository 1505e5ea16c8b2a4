#include "sim/model/flow_script.h"

#include <utility>

/// Statements of random scripts, and how they are laid out.
namespace fermata::sim::model {

std::string ScriptWriter::write() {
  left_ = shape_.statements_max;
  scopes_.emplace_back();
  for (const std::string& helper : shape_.helpers)
    callables_.push_back({helper, {Type::number}, Type::number, true});
  if (shape_.workflow) {
    int helpers = static_cast<int>(dice_.below(3));
    for (int i = 0; i < helpers; ++i) function();
    open("workflow made(inputs)");
    scopes_.emplace_back();
    declare("inputs", Type::record, true);
  }
  statements(static_cast<int>(dice_.below(static_cast<uint64_t>(shape_.statements_max))) + 1);
  line("return [" + expression(Type::number) + ", " + expression(Type::text) + ", " +
       expression(Type::list) + "]");
  if (shape_.workflow) {
    scopes_.pop_back();
    close();
  }
  return out_;
}

void ScriptWriter::line(const std::string& text, bool ends) {
  out_.append(static_cast<size_t>(indent_) * 2, ' ');
  out_ += text;
  bool semicolon = ends && (!shape_.odd_layout || dice_.chance(0.5));
  if (semicolon) out_ += odd(0.1) ? " ;" : ";";
  if (odd(0.08)) out_ += "  // why";
  if (odd(0.05)) out_ += "\n/* and\n   more */";
  // A semicolon lets the next statement stand on the same line.
  bool joins = semicolon && out_.back() == ';' && odd(0.1);
  out_ += joins ? " " : "\n";
}

void ScriptWriter::open(const std::string& head) {
  line(head + (head.empty() ? "{" : " {"), false);
  ++indent_;
  ++depth_;
}

void ScriptWriter::close(const std::string& tail) {
  --indent_;
  --depth_;
  line("}" + tail, false);
}

void ScriptWriter::declare(const std::string& name, Type type, bool constant) {
  scopes_.back().push_back({name, type, constant});
}

const ScriptWriter::Variable* ScriptWriter::any_variable(Type type, bool changeable) {
  std::vector<const Variable*> fit;
  for (const auto& scope : scopes_) {
    for (const Variable& one : scope) {
      if (one.type == type && !(changeable && one.constant)) fit.push_back(&one);
    }
  }
  return fit.empty() ? nullptr : fit[dice_.below(fit.size())];
}

const ScriptWriter::Callable* ScriptWriter::any_callable(Type result) {
  std::vector<const Callable*> fit;
  for (const Callable& one : callables_) {
    if (one.result == result) fit.push_back(&one);
  }
  return fit.empty() ? nullptr : fit[dice_.below(fit.size())];
}

void ScriptWriter::statements(int count) {
  for (int i = 0; i < count && left_ > 0; ++i) statement();
}

void ScriptWriter::statement() {
  --left_;
  bool deep = depth_ >= shape_.depth_max;
  switch (dice_.below(deep ? 6 : 14)) {
    case 0:
    case 1: return declaration();
    case 2: return assignment();
    case 3: return change_list();
    case 4: return log();
    case 5: return destructuring();
    case 6: return condition();
    case 7: return counted_loop();
    case 8: return walk();
    case 9: return bounded_while();
    case 10: return choice();
    case 11: return attempt();
    case 12:
      // Only at the top, where everything behind can call it.
      return functions_ == 0 && depth_ == (shape_.workflow ? 1 : 0) ? function() : block_of(2);
    default: return jump();
  }
}

void ScriptWriter::declaration() {
  Type type = any_type();
  bool constant = dice_.chance(0.5);
  std::string name = fresh("v");
  std::string value = expression(type);
  line(std::string(constant ? "const " : "let ") + name + " =" + (odd(0.1) ? "\n  " : " ") + value);
  declare(name, type, constant);
}

void ScriptWriter::destructuring() {
  std::string first = fresh("v");
  std::string second = fresh("v");
  if (dice_.chance(0.5)) {
    line("const { n: " + first + " = 1, s: " + second + " = 'd', ...r" + first +
         " } = " + expression(Type::record));
    declare(second, Type::text, true);
  } else {
    line("let [" + first + " = 0, " + second + " = 2] = " + expression(Type::list));
    declare(second, Type::number, false);
  }
  declare(first, Type::number, true);
}

void ScriptWriter::assignment() {
  const Variable* target = any_variable(Type::number, true);
  if (target == nullptr) return log();
  static constexpr std::string_view marks[] = {" = ", " += ", " -= ", " ?\?= ", " ||= ", " &&= "};
  std::string name = target->name;
  switch (dice_.below(4)) {
    case 0: return line(name + "++");
    case 1: return line("--" + name);
    default:
      line(name + std::string(marks[dice_.below(std::size(marks))]) + expression(Type::number));
  }
}

void ScriptWriter::change_list() {
  const Variable* target = any_variable(Type::list);
  if (target == nullptr) return declaration();
  std::string name = target->name;
  // Lists stay short, however often the statement runs.
  line("if (" + name + ".length < 20) " + name + ".push(" + expression(Type::number) + ")");
}

void ScriptWriter::log() {
  if (shape_.effects) {
    line("Log.info(" + expression(Type::text) + ", " + expression(any_type()) + ")");
  } else {
    line("[" + expression(Type::number) + "].forEach(x => { Math.abs(x) })");
  }
}

void ScriptWriter::block_of(int count) {
  open("");
  scopes_.emplace_back();
  statements(count);
  scopes_.pop_back();
  close();
}

void ScriptWriter::condition() {
  open("if (" + expression(Type::truth) + ")");
  scopes_.emplace_back();
  statements(2);
  scopes_.pop_back();
  if (dice_.chance(0.5)) {
    --indent_;
    line(odd(0.3) ? "}\nelse {" : "} else {", false);
    ++indent_;
    scopes_.emplace_back();
    statements(2);
    scopes_.pop_back();
  }
  close();
}

void ScriptWriter::counted_loop() {
  std::string name = fresh("i");
  open("for (let " + name + " = 0; " + name + " < " + std::to_string(dice_.below(4)) + "; " + name +
       "++)");
  scopes_.emplace_back();
  declare(name, Type::number, true);
  ++loops_;
  statements(2);
  --loops_;
  scopes_.pop_back();
  close();
}

void ScriptWriter::walk() {
  std::string name = fresh("x");
  bool keys = dice_.chance(0.3);
  open("for (const " + name + (keys ? " in " : " of ") +
       (keys ? expression(Type::record) : "(" + expression(Type::list) + ").slice(0, 3)") + ")");
  scopes_.emplace_back();
  declare(name, keys ? Type::text : Type::number, true);
  ++loops_;
  statements(2);
  --loops_;
  scopes_.pop_back();
  close();
}

void ScriptWriter::bounded_while() {
  std::string name = fresh("w");
  line("let " + name + " = 0");
  bool after = dice_.chance(0.3);
  // The counter comes first, so that `continue` cannot skip it.
  open(after ? "do" : "while (" + name + " < 3 && " + expression(Type::truth) + ")");
  line(name + "++");
  scopes_.emplace_back();
  ++loops_;
  statements(2);
  --loops_;
  scopes_.pop_back();
  close(after ? " while (" + name + " < 2)" : "");
  declare(name, Type::number, true);
}

void ScriptWriter::choice() {
  open("switch (" + expression(Type::number) + " % 3)");
  for (const char* head : {"case 0:", "case 1 + 1:", "default:"}) {
    line(head, false);
    ++indent_;
    scopes_.emplace_back();
    open("");
    statements(1);
    close();
    if (dice_.chance(0.6)) line("break");
    scopes_.pop_back();
    --indent_;
  }
  close();
}

void ScriptWriter::attempt() {
  std::string caught = fresh("e");
  open("try");
  scopes_.emplace_back();
  statements(2);
  if (dice_.chance(0.5)) {
    line("if (" + expression(Type::truth) + ") throw Error(" + expression(Type::text) +
         ", { code: 'MADE', details: " + expression(Type::number) + " })");
  }
  scopes_.pop_back();
  --indent_;
  line("} catch (" + caught + ") {", false);
  ++indent_;
  scopes_.emplace_back();
  line("if (" + caught + ".code != 'MADE') throw " + caught);
  statements(1);
  scopes_.pop_back();
  if (dice_.chance(0.4)) {
    --indent_;
    line("} finally {", false);
    ++indent_;
    scopes_.emplace_back();
    int loops = std::exchange(loops_, 0);
    statements(1);
    loops_ = loops;
    scopes_.pop_back();
  }
  close();
}

/// Functions call only those that were written before them, so calls come to an end.
void ScriptWriter::function() {
  Callable made;
  made.name = fresh("f");
  made.result = any_type();
  made.is_async = shape_.effects && dice_.chance(0.4);
  std::string head = std::string(made.is_async ? "async " : "") + "function " + made.name + "(";
  auto outer_scopes = std::exchange(scopes_, {{}});
  int loops = std::exchange(loops_, 0);
  ++functions_;
  size_t count = dice_.below(3);
  for (size_t i = 0; i < count; ++i) {
    Type type = any_type();
    std::string name = fresh("p");
    made.parameters.push_back(type);
    head += (i > 0 ? ", " : "") + name;
    if (odd(0.2)) head += " = " + literal(type);
    declare(name, type, false);
  }
  open(head + ")");
  statements(3);
  line("return " + expression(made.result));
  close();
  --functions_;
  loops_ = loops;
  scopes_ = std::move(outer_scopes);
  callables_.push_back(std::move(made));
}

void ScriptWriter::jump() {
  if (loops_ == 0) return log();
  line("if (" + expression(Type::truth) + ") " + (dice_.chance(0.5) ? "break" : "continue"));
}

}  // namespace fermata::sim::model
