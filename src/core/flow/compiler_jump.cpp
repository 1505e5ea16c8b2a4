#include <algorithm>
#include <utility>

#include "core/flow/compiler.h"

namespace fermata::flow {

namespace {

/// What a finally block has to do when it ends; jumps through it are numbered from there on.
constexpr int64_t pending_nothing = 0;
constexpr int64_t pending_throw = 1;
constexpr int64_t pending_jump_first = 2;

}  // namespace

void Compiler::jump(const Node& node) {
  if (node.kind == NodeKind::return_statement) {
    if (node.kids[0] == nullptr) {
      emit(Opcode::null, node);
    } else {
      kept(*node.kids[0]);
    }
  }
  leave(node, unit_->around.size());
}

bool Compiler::ends_at(const Around& around, const Node& jump_node) const {
  using Kind = Around::Kind;
  if (jump_node.kind == NodeKind::return_statement) return false;
  if (around.kind != Kind::loop && around.kind != Kind::breakable) return false;
  bool continues = jump_node.kind == NodeKind::continue_statement;
  if (continues && around.kind != Kind::loop) return false;
  if (jump_node.text.empty()) {
    // A plain break leaves loops and switches, not a labeled block.
    return around.kind == Kind::loop || around.labels.empty();
  }
  return std::ranges::find(around.labels, jump_node.text) != around.labels.end();
}

/// Returns the top of the stack; an awaitable that a script or an async function returns is awaited
/// first, outside its try blocks.
void Compiler::give(const Node& node) {
  if (unit_->awaits) {
    bool returns = node.kind == NodeKind::return_statement && node.kids[0] != nullptr;
    emit(Opcode::await, returns ? *node.kids[0] : node);
    point(returns ? *node.kids[0] : node, true);
  }
  emit(Opcode::give, node);
}

/// Emits the way out from under the first `depth` surroundings. A returned value lies on the stack.
void Compiler::leave(const Node& jump_node, size_t depth) {
  for (size_t i = depth; i-- > 0;) {
    Around& around = unit_->around[i];
    if (around.kind == Around::Kind::handler) {
      emit(Opcode::pop_handler, jump_node);
    } else if (around.kind == Around::Kind::final_block) {
      return leave_through_final(jump_node, around);
    } else if (around.kind == Around::Kind::final_body) {
      emit(Opcode::leave_final, jump_node, around.slot);
    } else if (ends_at(around, jump_node)) {
      bool breaks = jump_node.kind == NodeKind::break_statement;
      (breaks ? around.breaks : around.continues).push_back(emit_jump(Opcode::jump, jump_node));
      return;
    }
  }
  if (jump_node.kind == NodeKind::return_statement) {
    give(jump_node);
  } else {
    fail(jump_node, "this does not lead out of a loop");
  }
}

void Compiler::leave_through_final(const Node& jump_node, Around& around) {
  emit(Opcode::pop_handler, jump_node);
  if (jump_node.kind == NodeKind::return_statement) {
    emit(Opcode::initialise, jump_node, around.slot + 1);
  }
  auto kind = pending_jump_first + static_cast<int64_t>(around.pending.size());
  emit(Opcode::constant, jump_node, constant(Value(kind)));
  emit(Opcode::initialise, jump_node, around.slot);
  around.pending.push_back({&jump_node, {emit_jump(Opcode::jump, jump_node)}});
}

void Compiler::try_statement(const Node& node) {
  if (node.kids[3] == nullptr) return guarded_block(node);
  Around around{};
  around.kind = Around::Kind::final_block;
  around.slot = node.slot;
  unit_->around.push_back(std::move(around));
  uint32_t from = here();
  size_t handler = emit(Opcode::push_handler, node, 0, 1);
  if (node.kids[2] != nullptr) {
    guarded_block(node);
  } else {
    statement(*node.kids[0]);
  }
  around = std::move(unit_->around.back());
  unit_->around.pop_back();
  emit(Opcode::pop_handler, node);
  emit(Opcode::constant, node, constant(Value(pending_nothing)));
  emit(Opcode::initialise, node, node.slot);
  size_t normal = emit_jump(Opcode::jump, node);
  land(handler);
  emit(Opcode::initialise, node, node.slot + 1);
  emit(Opcode::constant, node, constant(Value(pending_throw)));
  emit(Opcode::initialise, node, node.slot);
  land(normal);
  for (const auto& pending : around.pending) land(pending.entries);
  final_block(node, std::move(around));
  keep_hidden(node.slot, 2, from);
}

/// `try` with `catch`, whatever stands around it.
void Compiler::guarded_block(const Node& node) {
  size_t handler = emit_jump(Opcode::push_handler, node);
  Around around{};
  around.kind = Around::Kind::handler;
  unit_->around.push_back(std::move(around));
  statement(*node.kids[0]);
  unit_->around.pop_back();
  emit(Opcode::pop_handler, node);
  size_t done = emit_jump(Opcode::jump, node);
  land(handler);
  uint32_t from = here();
  for (const Variable* variable : node.declared) {
    if (variable->captured) emit(Opcode::new_cell, node, variable->slot);
  }
  if (node.kids[1] != nullptr) {
    bind(*node.kids[1], true);
  } else {
    emit(Opcode::pop, node);
  }
  statement(*node.kids[2]);
  leave_scope(node, from);
  land(done);
}

/// Gives the jump taken when something else, or nothing, is pending.
size_t Compiler::unless_pending(const Node& node, uint32_t slot, int64_t kind) {
  emit(Opcode::load, node, slot);
  emit(Opcode::constant, node, constant(Value(kind)));
  emit(Opcode::equal, node);
  return emit_jump(Opcode::jump_if_false, node);
}

/// The block itself, and then whatever was interrupted by it.
void Compiler::final_block(const Node& node, Around around) {
  // Only scripts can be unwound by a verdict, which leaving the block early does not end.
  bool unwindable = options_.grammar == Grammar::script;
  if (unwindable) {
    Around body{};
    body.kind = Around::Kind::final_body;
    body.slot = around.slot;
    unit_->around.push_back(std::move(body));
  }
  statement(*node.kids[3]);
  if (unwindable) unit_->around.pop_back();
  size_t otherwise = unless_pending(node, around.slot, pending_throw);
  emit(Opcode::load, node, around.slot + 1);
  emit(Opcode::throw_value, node);
  land(otherwise);
  int64_t kind = pending_jump_first;
  for (const auto& pending : around.pending) {
    otherwise = unless_pending(node, around.slot, kind++);
    if (pending.jump->kind == NodeKind::return_statement) {
      emit(Opcode::load, node, around.slot + 1);
    }
    leave(*pending.jump, unit_->around.size());
    land(otherwise);
  }
}

}  // namespace fermata::flow
