#include "core/flow/compiler.h"

namespace fermata::flow {

/// Compiles a function and leaves a closure of it on the stack.
void Compiler::function(const Node& node, const FunctionOptions& options) {
  auto index = static_cast<uint32_t>(program_.functions.size());
  auto& made = *program_.functions.emplace_back(std::make_unique<Function>());
  made.program = &program_;
  made.around = unit_->function;
  made.name = options.name.empty() ? node.text : options.name;
  made.library = options_.prelude;
  made.is_async = node.is_async;
  made.parameters = static_cast<uint32_t>(node.kids.size() - 1);
  for (const Variable* captured : node.scope->captures) {
    bool local = captured->owner == unit_->scope;
    uint32_t from = local ? captured->slot : outer_index(*unit_, *captured);
    made.captures.push_back({local, from, std::string(captured->name)});
  }
  Unit inner;
  inner.parent = unit_;
  inner.function = &made;
  inner.scope = node.scope;
  inner.awaits = node.is_async || options.is_workflow;
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
  // What a function of the library calls it with is held there.
  for (uint32_t i = 0; program_.rhythm && i < count; ++i) {
    emit(Opcode::load, node, i);
    copy(node);
    emit(Opcode::initialise, node, i);
  }
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
    emit(Opcode::give, node);
  } else {
    kept(content);
    give(content);
  }
  leave_scope(node, 0);
  // Arguments that patterns take apart lie in slots without a name.
  for (uint32_t i = 0; i < count; ++i) {
    if (node.kids[i]->kind != NodeKind::pattern_name) keep_hidden(i, 1, 0);
  }
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

/// Notes how far the variables of a scope reach; it was entered at `from`.
void Compiler::leave_scope(const Node& node, uint32_t from) {
  if (!debug_) return;
  for (const Variable* variable : node.declared) {
    // Before that a slot may hold what the last turn of a loop left there.
    auto begun = unit_->begun.find(variable);
    uint32_t alive = begun == unit_->begun.end() ? from : std::max(from, begun->second);
    unit_->function->locals.push_back(
        {std::string(variable->name), variable->slot, alive, here(), variable->captured});
  }
}

void Compiler::keep_hidden(uint32_t slot, uint32_t count, uint32_t from) {
  if (!debug_) return;
  for (uint32_t i = 0; i < count; ++i) {
    unit_->function->locals.push_back({{}, slot + i, from, here(), false});
  }
}

/// The instruction just emitted may hold its fiber up.
void Compiler::point(const Node& node, bool awaits) {
  if (debug_) unit_->function->points.push_back({here(), node.span, awaits});
}

}  // namespace fermata::flow
