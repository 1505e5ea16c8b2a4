#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace fermata::sim::model {

/// What a random script may hold.
struct ScriptShape {
  int statements_max = 40;     ///< of the whole script, roughly
  int depth_max = 4;           ///< of blocks and of expressions
  bool effects = true;         ///< tasks, delays, async functions; else it never waits
  bool workflow = true;        ///< in the workflow form; else bare
  std::string task_options{};  ///< third argument of every task, or empty
  /// Async functions that whoever runs it puts before the script; they take a number and give one.
  std::vector<std::string> helpers{};
  /// Odd ways to write the same: comments, missing semicolons, needless parentheses and breaks.
  bool odd_layout = true;
};

/// Writes random scripts of the flow language, one per seed. They pass every check (warnings
/// aside), end after a bounded number of steps and meet no type error of their own, so that whoever
/// runs one can tell what must come out. Tasks are called `number`, `text` and `list`, take
/// `{n, s}` and must answer with a value of that type.
class ScriptWriter {
 public:
  ScriptWriter(uint64_t seed, ScriptShape shape) : dice_(seed), shape_(shape) {}
  std::string write();

 private:
  enum class Type : uint8_t { number, text, truth, list, record };
  struct Variable {
    std::string name;
    Type type;
    bool constant;
  };
  struct Callable {
    std::string name;
    std::vector<Type> parameters;
    Type result;
    bool is_async;
  };

  // flow_script.cpp: statements.
  void statements(int count);
  void statement();
  void declaration();
  void destructuring();
  void assignment();
  void condition();
  void counted_loop();
  void walk();
  void bounded_while();
  void choice();
  void attempt();
  void log();
  void change_list();
  void block_of(int count);
  void function();
  void jump();
  void line(const std::string& text, bool ends = true);
  void open(const std::string& head);
  void close(const std::string& tail = "");

  // flow_expression.cpp: expressions.
  std::string expression(Type type, int depth = 0);
  std::string number(int depth);
  std::string text(int depth);
  std::string truth(int depth);
  std::string list(int depth);
  std::string record(int depth);
  std::string call(const Callable& called, int depth);
  std::string task(Type type, int depth);
  std::string literal(Type type);
  std::string in_parentheses(std::string inner);

  bool odd(double probability) { return shape_.odd_layout && dice_.chance(probability); }
  Type any_type() { return static_cast<Type>(dice_.below(5)); }
  std::string fresh(std::string_view kind) { return std::string(kind) + std::to_string(++names_); }
  const Variable* any_variable(Type type, bool changeable = false);
  const Callable* any_callable(Type result);
  void declare(const std::string& name, Type type, bool constant);

  Random dice_;
  ScriptShape shape_;
  std::string out_;
  int indent_ = 0;
  int names_ = 0;
  int left_ = 0;       ///< statements that may still be written
  int depth_ = 0;      ///< of blocks
  int loops_ = 0;      ///< around, inside the function under way
  int functions_ = 0;  ///< around
  std::vector<std::vector<Variable>> scopes_;
  std::vector<Callable> callables_;
};

}  // namespace fermata::sim::model
