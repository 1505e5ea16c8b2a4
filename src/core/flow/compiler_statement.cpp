#include "core/flow/compiler.h"

namespace fermata::flow {

void Compiler::statement(const Node& node) {
  switch (node.kind) {
    case NodeKind::block: return block(node);
    case NodeKind::declare: return declare(node);
    case NodeKind::function_declaration: return;  // made when its block was entered
    case NodeKind::if_statement: return if_statement(node);
    case NodeKind::while_statement: return while_statement(node);
    case NodeKind::do_statement: return do_statement(node);
    case NodeKind::for_statement: return for_statement(node);
    case NodeKind::for_of:
    case NodeKind::for_in: return for_each(node);
    case NodeKind::switch_statement: return switch_statement(node);
    case NodeKind::break_statement:
    case NodeKind::continue_statement:
    case NodeKind::return_statement: return jump(node);
    case NodeKind::throw_statement:
      kept(*node.kids[0]);
      emit(Opcode::throw_value, node);
      return;
    case NodeKind::try_statement: return try_statement(node);
    case NodeKind::labeled: return labeled(node);
    case NodeKind::entry: return entry(node);
    case NodeKind::expression_statement:
      expression(*node.kids[0]);
      emit(Opcode::pop, node);
      return;
    case NodeKind::sequence:
      for (const Node* part : node.kids) {
        expression(*part);
        emit(Opcode::pop, *part);
      }
      return;
    default: return;
  }
}

void Compiler::statements(const std::vector<Node*>& nodes, size_t from) {
  for (size_t i = from; i < nodes.size(); ++i) {
    if (nodes[i]->kind != NodeKind::function_declaration) continue;
    function(*nodes[i]->kids[0]);
    store(*nodes[i], *nodes[i]->variable, true);
  }
  for (size_t i = from; i < nodes.size(); ++i) statement(*nodes[i]);
}

void Compiler::block(const Node& node) {
  uint32_t from = here();
  enter_scope(node);
  statements(node.kids);
  leave_scope(node, from);
}

void Compiler::declare(const Node& node) {
  for (const Node* declarator : node.kids) {
    if (declarator->kids[1] == nullptr) {
      emit(Opcode::null, *declarator);
    } else {
      const Node& name = *declarator->kids[0];
      const Node& value = *declarator->kids[1];
      bool names = name.kind == NodeKind::pattern_name && value.kind == NodeKind::function;
      if (names && value.text.empty()) {
        function(value, {.name = name.text});
      } else {
        kept(value);
      }
    }
    bind(*declarator->kids[0], true);
  }
}

/// A plain call in the main fiber, whose result is the script's.
void Compiler::entry(const Node& node) {
  const Node& callee = *node.kids[0];
  if (callee.kind == NodeKind::function) {
    function(callee, {.is_workflow = true});
  } else {
    expression(callee);
  }
  for (size_t i = 1; i < node.kids.size(); ++i) expression(*node.kids[i]);
  emit(Opcode::call_entry, node, 0, static_cast<uint32_t>(node.kids.size() - 1));
  point(node, false);
  emit(Opcode::give, node);
}

void Compiler::if_statement(const Node& node) {
  expression(*node.kids[0]);
  size_t otherwise = emit_jump(Opcode::jump_if_false, node);
  statement(*node.kids[1]);
  if (node.kids[2] == nullptr) return land(otherwise);
  size_t done = emit_jump(Opcode::jump, node);
  land(otherwise);
  statement(*node.kids[2]);
  land(done);
}

void Compiler::switch_statement(const Node& node) {
  expression(*node.kids[0]);
  uint32_t from = here();
  emit(Opcode::initialise, node, node.slot);
  // A case may be entered past a declaration, which must then count as not yet run.
  for (const Variable* variable : node.declared) {
    emit(variable->captured ? Opcode::new_cell : Opcode::clear, node, variable->slot);
  }
  begin(Around::Kind::breakable);
  Exits entries(node.kids.size(), 0);
  size_t fallback = 0;
  for (size_t i = 1; i < node.kids.size(); ++i) {
    const Node& one = *node.kids[i];
    if (one.kids[0] == nullptr) {
      fallback = i;
      continue;
    }
    emit(Opcode::load, one, node.slot);
    expression(*one.kids[0]);
    emit(Opcode::equal, one);
    entries[i] = emit_jump(Opcode::jump_if_true, one);
  }
  size_t none = emit_jump(Opcode::jump, node);
  for (size_t i = 1; i < node.kids.size(); ++i) {
    if (i == fallback) {
      land(none);
    } else {
      land(entries[i]);
    }
    statements(node.kids[i]->kids, 1);
  }
  if (fallback == 0) land(none);
  end(here());
  leave_scope(node, from);
  keep_hidden(node.slot, 1, from);
}

/// A label names the loop behind it; before any other statement it can be broken out of.
void Compiler::labeled(const Node& node) {
  unit_->labels.push_back(node.text);
  const Node& inner = *node.kids[0];
  switch (inner.kind) {
    case NodeKind::labeled:
    case NodeKind::while_statement:
    case NodeKind::do_statement:
    case NodeKind::for_statement:
    case NodeKind::for_of:
    case NodeKind::for_in: return statement(inner);
    default: break;
  }
  begin(Around::Kind::breakable);
  statement(inner);
  end(here());
}

}  // namespace fermata::flow
