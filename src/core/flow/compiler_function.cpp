#include "core/flow/compiler.h"

namespace fermata::flow {

/// Compiles a function and leaves a closure of it on the stack.
void Compiler::function(const Node& node) {
  auto index = static_cast<uint32_t>(program_.functions.size());
  auto& made = *program_.functions.emplace_back(std::make_unique<Function>());
  made.program = &program_;
  made.name = node.text;
  made.library = options_.prelude;
  made.parameters = static_cast<uint32_t>(node.kids.size() - 1);
  for (const Variable* captured : node.scope->captures) {
    bool local = captured->owner == unit_->scope;
    made.captures.push_back({local, local ? captured->slot : outer_index(*unit_, *captured)});
  }
  Unit inner;
  inner.parent = unit_;
  inner.function = &made;
  inner.scope = node.scope;
  unit_ = &inner;
  body(node, *node.scope);
  unit_ = inner.parent;
  emit(Opcode::closure, node, index);
}

void Compiler::body(const Node& node, const FunctionScope& scope) {
  Function& made = *unit_->function;
  made.slots = scope.slots_max;
  size_t count = node.kids.size() - 1;
  made.has_rest = count > 0 && node.kids[count - 1]->kind == NodeKind::pattern_rest;
  for (const Variable* variable : node.declared) {
    // Arguments that are plain names already lie in their slot.
    bool argument = variable->slot < count;
    if (variable->captured)
      emit(argument ? Opcode::wrap_cell : Opcode::new_cell, node, variable->slot);
  }
  for (size_t i = 0; i < count; ++i) parameter(*node.kids[i], static_cast<uint32_t>(i));
  if (node.variable != nullptr) {
    emit(Opcode::self, node);
    store(node, *node.variable, true);
  }
  const Node& content = *node.kids.back();
  if (content.kind == NodeKind::block) {
    statement(content);
    emit(Opcode::null, content);
  } else {
    expression(content);
  }
  emit(Opcode::give, node);
}

void Compiler::parameter(const Node& pattern, uint32_t slot) {
  if (pattern.kind == NodeKind::pattern_name) return;
  emit(Opcode::load, pattern, slot);
  // The call has already gathered what `...` takes.
  bind(pattern.kind == NodeKind::pattern_rest ? *pattern.kids[0] : pattern, true);
}

/// Makes the cells of a scope and the functions that are declared in it.
void Compiler::enter_scope(const Node& node) {
  for (const Variable* variable : node.declared) {
    if (variable->captured) emit(Opcode::new_cell, node, variable->slot);
  }
}

}  // namespace fermata::flow
