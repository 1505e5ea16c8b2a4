#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow/ast.h"
#include "core/flow/code.h"

namespace fermata::flow {

/// Turns a resolved tree into instructions. Statements leave the operand stack as they found it;
/// expressions leave one value more.
class Compiler {
 public:
  Compiler(const Ast& ast, CompileOptions options, Expression::Program& program);
  Result<void, SyntaxError> run(const FunctionScope& scope);

 private:
  using Exits = std::vector<size_t>;  ///< jumps that wait for their target

  /// What surrounds a statement and what a jump out of it must see to.
  struct Around {
    enum class Kind : uint8_t { loop, breakable, handler, final_block, final_body } kind;
    std::vector<std::string_view> labels{};
    Exits breaks{};
    Exits continues{};
    uint32_t slot = 0;  ///< final_block, final_body: where it keeps what is pending
    struct Pending {
      const Node* jump;  ///< the break, continue or return that goes through it
      Exits entries;
    };
    std::vector<Pending> pending{};
  };
  struct Unit {
    Unit* parent = nullptr;
    Function* function = nullptr;
    const FunctionScope* scope = nullptr;
    std::vector<Around> around;
    std::vector<std::string_view> labels;       ///< labels waiting for the loop they name
    bool awaits = false;                        ///< what it returns is awaited first (F-2, F-20)
    std::map<const Variable*, uint32_t> begun;  ///< where a variable has its first value
  };
  /// How far an access is still a path from a root.
  struct Path {
    bool from_root = false;
    bool after_optional = false;
  };
  struct AccessOptions {
    const Node* whole = nullptr;  ///< the reference this access is part of
    bool guarded = false;         ///< a missing part anywhere makes it null
    bool tolerant = false;        ///< this part may be missing: `?.` follows
  };

  // compiler.cpp: emission.
  size_t emit(Opcode op, const Node& at, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  size_t emit_jump(Opcode op, const Node& at) { return emit(op, at); }
  void land(size_t jump);
  void land(const Exits& exits);
  uint32_t here() const;
  uint32_t constant(const Value& value);
  uint32_t root_index(std::string_view name);
  void fail(const Node& node, std::string message);
  Function& function_of(const Node& node);
  void load(const Node& at, const Variable& variable);
  void store(const Node& at, const Variable& variable, bool first);
  uint32_t outer_index(const Unit& unit, const Variable& variable) const;

  // compiler_expression.cpp
  void expression(const Node& node, bool guarded = false);
  void kept(const Node& node);
  void copy(const Node& node);
  void literal(const Node& node);
  void name(const Node& node);
  void text_template(const Node& node);
  void array(const Node& node);
  void object(const Node& node);
  void unary(const Node& node);
  void remove(const Node& node);
  void binary(const Node& node);
  void logical(const Node& node, bool guarded);
  void conditional(const Node& node, bool guarded);
  void default_value(const Node& node);

  // compiler_access.cpp
  void access_whole(const Node& node, bool guarded);
  Path access(const Node& node, Exits& exits, AccessOptions options);
  Path load_root(const Node& node, Exits& exits, AccessOptions options);
  Path member(const Node& node, Exits& exits, AccessOptions options);
  Path call(const Node& node, Exits& exits, AccessOptions options);
  void missing_operands(size_t at, const Node& node, Exits& exits, Missing mode,
                        const AccessOptions& options);
  Missing mode_of(const Path& path, const AccessOptions& options) const;
  bool arguments(const Node& node, bool to_library);
  bool is_builtin(const Node& node) const { return node.builtin != no_builtin; }

  // compiler_function.cpp
  struct FunctionOptions {
    bool is_workflow = false;
    std::string_view name = {};  ///< of the variable that it is the first value of
  };
  void function(const Node& node) { function(node, FunctionOptions()); }
  void function(const Node& node, const FunctionOptions& options);
  void body(const Node& node, const FunctionScope& scope);
  void parameter(const Node& pattern, uint32_t slot);
  void enter_scope(const Node& node);
  void leave_scope(const Node& node, uint32_t from);
  void keep_hidden(uint32_t slot, uint32_t count, uint32_t from);
  void point(const Node& node, bool awaits);

  // compiler_assign.cpp
  void assign(const Node& node);
  void assign_compound(const Node& node);
  void update(const Node& node);
  void load_target(const Node& target);
  void store_target(const Node& target);
  /// Takes apart the top of the stack and drops it.
  void bind(const Node& pattern, bool first);
  void bind_object(const Node& pattern, bool first);
  void bind_array(const Node& pattern, bool first);
  void bind_target(const Node& target);

  // compiler_statement.cpp
  void statement(const Node& node);
  void block(const Node& node);
  void statements(const std::vector<Node*>& nodes, size_t from = 0);
  void declare(const Node& node);
  void if_statement(const Node& node);
  void switch_statement(const Node& node);
  void labeled(const Node& node);
  void entry(const Node& node);

  // compiler_loop.cpp
  void while_statement(const Node& node);
  void do_statement(const Node& node);
  void for_statement(const Node& node);
  void for_each(const Node& node);
  void begin(Around::Kind kind);
  void end(uint32_t continue_target);

  // compiler_jump.cpp
  void give(const Node& node);
  void jump(const Node& node);
  void leave(const Node& jump_node, size_t depth);
  bool ends_at(const Around& around, const Node& jump_node) const;
  void leave_through_final(const Node& jump_node, Around& around);
  void try_statement(const Node& node);
  void guarded_block(const Node& node);
  void final_block(const Node& node, Around around);
  size_t unless_pending(const Node& node, uint32_t slot, int64_t kind);

  const Ast& ast_;
  CompileOptions options_;
  Expression::Program& program_;
  Unit* unit_ = nullptr;
  bool paths_strict_;
  bool debug_;  ///< scripts are shown, snapshots of them written: note variables and points
  std::map<std::string, uint32_t, std::less<>> texts_;  ///< constants that may be shared
  std::optional<SyntaxError> error_;
};

}  // namespace fermata::flow
