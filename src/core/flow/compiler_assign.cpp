#include "core/flow/compiler.h"

namespace fermata::flow {

void Compiler::assign(const Node& node) {
  const Node& target = *node.kids[0];
  if (node.op != Operator::none) return assign_compound(node);
  if (target.kind == NodeKind::pattern_object || target.kind == NodeKind::pattern_array) {
    kept(*node.kids[1]);
    emit(Opcode::duplicate, node);
    bind(target, false);
    return;
  }
  if (target.kind == NodeKind::name) {
    kept(*node.kids[1]);
    emit(Opcode::duplicate, node);
    store_target(target);
    return;
  }
  expression(*target.kids[0]);
  if (target.kind == NodeKind::index) expression(*target.kids[1]);
  kept(*node.kids[1]);
  store_target(target);
}

/// Pushes the value of a target whose object (and key) lie on the stack, which stay there.
void Compiler::load_target(const Node& target) {
  if (target.kind == NodeKind::name) {
    if (target.early) {
      emit(Opcode::undefined_variable, target, constant(Value(target.text)));
    } else {
      load(target, *target.variable);
    }
  } else if (target.kind == NodeKind::member) {
    emit(Opcode::duplicate, target);
    emit(Opcode::get_member, target, 0, 0, constant(Value(target.text)));
  } else {
    emit(Opcode::duplicate_two, target);
    emit(Opcode::get_index, target);
  }
}

/// Names pop the value; members and elements leave it in place of their object (and key).
void Compiler::store_target(const Node& target) {
  if (target.kind == NodeKind::name) {
    if (target.early) emit(Opcode::undefined_variable, target, constant(Value(target.text)));
    store(target, *target.variable, false);
  } else if (target.kind == NodeKind::member) {
    emit(Opcode::set_member, target, 0, 0, constant(Value(target.text)));
  } else {
    emit(Opcode::set_index, target);
  }
}

void Compiler::assign_compound(const Node& node) {
  const Node& target = *node.kids[0];
  bool is_name = target.kind == NodeKind::name;
  if (!is_name) expression(*target.kids[0]);
  if (target.kind == NodeKind::index) expression(*target.kids[1]);
  load_target(target);
  bool logical = node.op == Operator::nullish || node.op == Operator::logical_or ||
                 node.op == Operator::logical_and;
  if (!logical) {
    expression(*node.kids[1]);
    emit(node.op == Operator::add        ? Opcode::add
         : node.op == Operator::subtract ? Opcode::subtract
         : node.op == Operator::multiply ? Opcode::multiply
         : node.op == Operator::divide   ? Opcode::divide
         : node.op == Operator::modulo   ? Opcode::modulo
                                         : Opcode::power,
         node);
    if (is_name) emit(Opcode::duplicate, node);
    store_target(target);
    return;
  }
  size_t stays = emit_jump(node.op == Operator::nullish      ? Opcode::keep_if_set
                           : node.op == Operator::logical_or ? Opcode::keep_if_true
                                                             : Opcode::keep_if_false,
                           node);
  kept(*node.kids[1]);
  if (is_name) emit(Opcode::duplicate, node);
  store_target(target);
  size_t done = emit_jump(Opcode::jump, node);
  land(stays);
  // The value stays; the object and key under it are dropped.
  if (target.kind == NodeKind::index) {
    emit(Opcode::under_two, node);
    emit(Opcode::pop, node);
    emit(Opcode::pop, node);
  } else if (!is_name) {
    emit(Opcode::under_one, node);
    emit(Opcode::pop, node);
  }
  land(done);
}

void Compiler::update(const Node& node) {
  const Node& target = *node.kids[0];
  if (target.kind != NodeKind::name) expression(*target.kids[0]);
  if (target.kind == NodeKind::index) expression(*target.kids[1]);
  load_target(target);
  emit(Opcode::plus, node);
  if (!node.prefix) {
    // The old value is the result: it goes under what the store needs.
    emit(Opcode::duplicate, node);
    if (target.kind == NodeKind::member) emit(Opcode::under_two, node);
    if (target.kind == NodeKind::index) emit(Opcode::under_three, node);
  }
  emit(Opcode::constant, node, constant(Value(1)));
  emit(node.op == Operator::add ? Opcode::add : Opcode::subtract, node);
  if (node.prefix && target.kind == NodeKind::name) emit(Opcode::duplicate, node);
  store_target(target);
  if (!node.prefix && target.kind != NodeKind::name) emit(Opcode::pop, node);
}

void Compiler::bind(const Node& pattern, bool first) {
  switch (pattern.kind) {
    case NodeKind::pattern_name: return store(pattern, *pattern.variable, first);
    case NodeKind::pattern_target: return bind_target(*pattern.kids[0]);
    case NodeKind::pattern_default: {
      size_t given = emit_jump(Opcode::keep_if_set, pattern);
      kept(*pattern.kids[1]);
      land(given);
      return bind(*pattern.kids[0], first);
    }
    case NodeKind::pattern_object: return bind_object(pattern, first);
    default: return bind_array(pattern, first);
  }
}

void Compiler::bind_target(const Node& target) {
  if (target.kind == NodeKind::name) return store_target(target);
  expression(*target.kids[0]);
  if (target.kind == NodeKind::index) {
    expression(*target.kids[1]);
    emit(Opcode::rotate_three, target);
  } else {
    emit(Opcode::under_one, target);
  }
  store_target(target);
  emit(Opcode::pop, target);
}

void Compiler::bind_object(const Node& pattern, bool first) {
  Value keys = Value::array();
  if (pattern.kids.empty()) {
    // Taking nothing apart still needs something that could be taken apart.
    emit(Opcode::object_rest, pattern, constant(keys));
    emit(Opcode::pop, pattern);
    return;
  }
  for (const Node* part : pattern.kids) {
    emit(Opcode::duplicate, *part);
    if (part->kind == NodeKind::pattern_rest) {
      emit(Opcode::object_rest, *part, constant(keys));
      bind(*part->kids[0], first);
      continue;
    }
    const Node& key = *part->kids[0];
    if (!part->computed && key.value.is_string()) {
      keys.push(key.value);
      emit(Opcode::get_member, *part, 0, 0, constant(key.value));
    } else {
      if (pattern.kids.back()->kind == NodeKind::pattern_rest) {
        fail(*part, "beside `...` the keys of a pattern must be plain names");
      }
      expression(key);
      emit(Opcode::get_index, *part);
    }
    bind(*part->kids[1], first);
  }
  emit(Opcode::pop, pattern);
}

void Compiler::bind_array(const Node& pattern, bool first) {
  emit(Opcode::to_list, pattern);
  for (uint32_t i = 0; i < pattern.kids.size(); ++i) {
    const Node* part = pattern.kids[i];
    if (part == nullptr) continue;
    emit(Opcode::duplicate, *part);
    bool rest = part->kind == NodeKind::pattern_rest;
    emit(rest ? Opcode::list_rest : Opcode::list_item, *part, i);
    bind(rest ? *part->kids[0] : *part, first);
  }
  emit(Opcode::pop, pattern);
}

}  // namespace fermata::flow
