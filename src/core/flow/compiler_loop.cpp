#include <utility>

#include "core/flow/compiler.h"

namespace fermata::flow {

/// Whatever can be left by break or continue; it takes the labels that stand before it.
void Compiler::begin(Around::Kind kind) {
  Around around{};
  around.kind = kind;
  around.labels = std::exchange(unit_->labels, {});
  unit_->around.push_back(std::move(around));
}

void Compiler::end(uint32_t continue_target) {
  Around around = std::move(unit_->around.back());
  unit_->around.pop_back();
  land(around.breaks);
  for (size_t jump : around.continues) unit_->function->code[jump].a = continue_target;
}

void Compiler::while_statement(const Node& node) {
  begin(Around::Kind::loop);
  uint32_t again = here();
  expression(*node.kids[0]);
  size_t done = emit_jump(Opcode::jump_if_false, node);
  statement(*node.kids[1]);
  emit(Opcode::jump, node, again);
  land(done);
  end(again);
}

void Compiler::do_statement(const Node& node) {
  begin(Around::Kind::loop);
  uint32_t again = here();
  statement(*node.kids[0]);
  uint32_t test = here();
  expression(*node.kids[1]);
  emit(Opcode::jump_if_true, node, again);
  end(test);
}

void Compiler::for_statement(const Node& node) {
  begin(Around::Kind::loop);
  uint32_t from = here();
  enter_scope(node);
  if (node.kids[0] != nullptr) statement(*node.kids[0]);
  uint32_t again = here();
  size_t done = 0;
  bool endless = node.kids[1] == nullptr;
  if (!endless) {
    expression(*node.kids[1]);
    done = emit_jump(Opcode::jump_if_false, node);
  }
  statement(*node.kids[3]);
  uint32_t update = here();
  // Closures keep the variables of the turn they were made in (F-20).
  for (const Variable* variable : node.declared) {
    if (variable->captured) emit(Opcode::copy_cell, node, variable->slot);
  }
  if (node.kids[2] != nullptr) statement(*node.kids[2]);
  emit(Opcode::jump, node, again);
  if (!endless) land(done);
  end(update);
  leave_scope(node, from);
}

void Compiler::for_each(const Node& node) {
  expression(*node.kids[1]);
  emit(node.kind == NodeKind::for_of ? Opcode::iterate_of : Opcode::iterate_in, node);
  uint32_t from = here();
  emit(Opcode::initialise, node, node.slot);
  begin(Around::Kind::loop);
  uint32_t again = here();
  enter_scope(node);
  size_t done = emit(Opcode::next, node, 0, 0, node.slot);
  if (program_.rhythm) copy(node);
  bind(*node.kids[0], true);
  statement(*node.kids[2]);
  emit(Opcode::jump, node, again);
  leave_scope(node, again);
  land(done);
  end(again);
  // The items are no longer needed; a snapshot taken later should not hold them.
  emit(Opcode::clear, node, node.slot);
  keep_hidden(node.slot, 1, from);
}

}  // namespace fermata::flow
