#include "core/flow/compiler.h"
#include "core/flow/library.h"

namespace fermata::flow {

namespace {

Opcode opcode_of(Operator op) {
  switch (op) {
    case Operator::add: return Opcode::add;
    case Operator::subtract: return Opcode::subtract;
    case Operator::multiply: return Opcode::multiply;
    case Operator::divide: return Opcode::divide;
    case Operator::modulo: return Opcode::modulo;
    case Operator::power: return Opcode::power;
    case Operator::equal: return Opcode::equal;
    case Operator::not_equal: return Opcode::not_equal;
    case Operator::less: return Opcode::less;
    case Operator::less_equal: return Opcode::less_equal;
    case Operator::greater: return Opcode::greater;
    case Operator::greater_equal: return Opcode::greater_equal;
    case Operator::in: return Opcode::in;
    case Operator::logical_not: return Opcode::logical_not;
    case Operator::negate: return Opcode::negate;
    case Operator::plus: return Opcode::plus;
    default: return Opcode::type_of;
  }
}

Loose loose_of(Operator op) {
  switch (op) {
    case Operator::equal: return Loose::equal;
    case Operator::not_equal: return Loose::not_equal;
    case Operator::less: return Loose::less;
    case Operator::less_equal: return Loose::less_equal;
    case Operator::greater: return Loose::greater;
    case Operator::greater_equal: return Loose::greater_equal;
    case Operator::in: return Loose::in;
    default: return Loose::contains;
  }
}

InstanceType instance_type(std::string_view name) {
  if (name == "Error") return InstanceType::error;
  if (name == "Array") return InstanceType::array;
  if (name == "Object") return InstanceType::object;
  return name == "Function" ? InstanceType::function : InstanceType::promise;
}

/// True when somebody else may hold what the expression gives. A function of the script has made a
/// copy of what it returns.
bool may_be_held(const Node& node) {
  switch (node.kind) {
    case NodeKind::name: return node.builtin == no_builtin;
    case NodeKind::call: return node.kids[0]->kind != NodeKind::name || !may_be_held(*node.kids[0]);
    case NodeKind::root:
    case NodeKind::member:
    case NodeKind::index:
    case NodeKind::chain:
    case NodeKind::logical:
    case NodeKind::conditional:
    case NodeKind::default_value:
    case NodeKind::assign:
    case NodeKind::await: return true;
    default: return false;
  }
}

}  // namespace

/// `guarded`: a missing part of a reference makes the value null instead of failing (G-15).
void Compiler::expression(const Node& node, bool guarded) {
  switch (node.kind) {
    case NodeKind::literal: return literal(node);
    case NodeKind::name: return name(node);
    case NodeKind::root:
    case NodeKind::member:
    case NodeKind::index:
    case NodeKind::call:
    case NodeKind::chain: return access_whole(node, guarded);
    case NodeKind::text_template: return text_template(node);
    case NodeKind::array: return array(node);
    case NodeKind::object: return object(node);
    case NodeKind::function: return function(node);
    case NodeKind::unary: return unary(node);
    case NodeKind::binary: return binary(node);
    case NodeKind::logical: return logical(node, guarded);
    case NodeKind::conditional: return conditional(node, guarded);
    case NodeKind::default_value: return default_value(node);
    case NodeKind::assign: return assign(node);
    case NodeKind::update: return update(node);
    case NodeKind::await:
      expression(*node.kids[0]);
      emit(Opcode::await, node);
      point(*node.kids[0], true);
      return;
    default: return fail(node, "this is not an expression");
  }
}

/// An expression whose value goes on to live somewhere else. In Rhythm scripts reading gives a
/// copy, so that nothing is ever held in two places (F-66).
void Compiler::kept(const Node& node) {
  expression(node);
  if (program_.rhythm && may_be_held(node)) copy(node);
}

void Compiler::copy(const Node& node) {
  emit(Opcode::call_builtin, node, find_builtin(Owner::object_space, "clone"), 1);
}

void Compiler::literal(const Node& node) {
  if (node.value.is_null()) {
    emit(Opcode::null, node);
  } else {
    emit(Opcode::constant, node, constant(node.value));
  }
}

void Compiler::name(const Node& node) {
  if (is_builtin(node)) {
    emit(Opcode::load_builtin, node, node.builtin);
  } else if (node.early || node.unknown) {
    emit(Opcode::undefined_variable, node, constant(Value(node.text)), node.in_path ? 1 : 0);
  } else {
    load(node, *node.variable);
  }
}

void Compiler::text_template(const Node& node) {
  uint32_t pieces = 0;
  for (const Node* piece : node.kids) {
    bool nothing = piece->kind == NodeKind::literal && piece->value.is_string() &&
                   piece->value.as_string().empty();
    if (nothing) continue;
    expression(*piece);
    ++pieces;
  }
  emit(Opcode::text_template, node, pieces);
}

void Compiler::array(const Node& node) {
  uint32_t plain = 0;
  while (plain < node.kids.size() && node.kids[plain]->kind != NodeKind::spread) {
    kept(*node.kids[plain++]);
  }
  emit(Opcode::new_array, node, plain);
  for (size_t i = plain; i < node.kids.size(); ++i) {
    const Node& element = *node.kids[i];
    bool spread = element.kind == NodeKind::spread;
    kept(spread ? *element.kids[0] : element);
    emit(spread ? Opcode::append_spread : Opcode::append, element);
  }
}

void Compiler::object(const Node& node) {
  emit(Opcode::new_object, node);
  for (const Node* property : node.kids) {
    if (property->kind == NodeKind::spread) {
      kept(*property->kids[0]);
      emit(Opcode::put_spread, *property);
      continue;
    }
    const Node& key = *property->kids[0];
    bool fixed = !property->computed && key.value.is_string();
    if (!fixed) expression(key);
    kept(*property->kids[1]);
    if (fixed) {
      emit(Opcode::put_member, *property, 0, 0, constant(key.value));
    } else {
      emit(Opcode::put_index, *property);
    }
  }
}

void Compiler::unary(const Node& node) {
  if (node.op == Operator::remove) return remove(node);
  expression(*node.kids[0]);
  emit(opcode_of(node.op), node);
}

void Compiler::remove(const Node& node) {
  const Node& target = *node.kids[0];
  expression(*target.kids[0]);
  if (target.kind == NodeKind::member) {
    emit(Opcode::delete_member, node, 0, 0, constant(Value(target.text)));
  } else {
    expression(*target.kids[1]);
    emit(Opcode::delete_index, node);
  }
}

void Compiler::binary(const Node& node) {
  expression(*node.kids[0]);
  if (node.op == Operator::instance_of) {
    emit(Opcode::instance_of, node, 0, static_cast<uint32_t>(instance_type(node.kids[1]->text)));
    return;
  }
  expression(*node.kids[1]);
  if (node.loose) {
    emit(Opcode::loose, node, 0, static_cast<uint32_t>(loose_of(node.op)));
  } else {
    emit(opcode_of(node.op), node);
  }
}

void Compiler::logical(const Node& node, bool guarded) {
  bool nullish = node.op == Operator::nullish;
  expression(*node.kids[0], nullish || guarded);
  size_t done = emit_jump(nullish                            ? Opcode::keep_if_set
                          : node.op == Operator::logical_and ? Opcode::keep_if_false
                                                             : Opcode::keep_if_true,
                          node);
  expression(*node.kids[1], guarded);
  land(done);
}

void Compiler::conditional(const Node& node, bool guarded) {
  expression(*node.kids[0]);
  size_t otherwise = emit_jump(Opcode::jump_if_false, node);
  expression(*node.kids[1], guarded);
  size_t done = emit_jump(Opcode::jump, node);
  land(otherwise);
  expression(*node.kids[2], guarded);
  land(done);
}

void Compiler::default_value(const Node& node) {
  expression(*node.kids[0], true);
  size_t done = emit_jump(Opcode::keep_if_set, node);
  expression(*node.kids[1]);
  land(done);
}

}  // namespace fermata::flow
