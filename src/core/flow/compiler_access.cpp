#include "core/flow/compiler.h"

namespace fermata::flow {

namespace {

/// Where a member is named, behind its object: the place to show when it fails.
uint32_t name_offset(const Node& member) {
  return member.span.end - static_cast<uint32_t>(member.text.size());
}

}  // namespace

void Compiler::access_whole(const Node& node, bool guarded) {
  Exits exits;
  const Node& inner = node.kind == NodeKind::chain ? *node.kids[0] : node;
  AccessOptions options;
  options.whole = &inner;
  options.guarded = guarded;
  access(inner, exits, options);
  land(exits);
}

Compiler::Path Compiler::access(const Node& node, Exits& exits, AccessOptions options) {
  switch (node.kind) {
    case NodeKind::root: return load_root(node, exits, options);
    case NodeKind::member:
      if (is_builtin(node)) {
        emit(Opcode::load_builtin, node, node.builtin);
        return {};
      }
      return member(node, exits, options);
    case NodeKind::index: return member(node, exits, options);
    case NodeKind::call: return call(node, exits, options);
    default: expression(node, options.guarded); return {};
  }
}

Missing Compiler::mode_of(const Path& path, const AccessOptions& options) const {
  if (!path.from_root) return Missing::plain;
  bool lenient = options.guarded || options.tolerant || path.after_optional;
  return lenient ? Missing::is_null : Missing::fails;
}

void Compiler::missing_operands(size_t at, const Node& node, Exits& exits, Missing mode,
                                const AccessOptions& options) {
  unit_->function->code[at].b = static_cast<uint8_t>(mode);
  if (mode == Missing::is_null) exits.push_back(at);
  if (mode != Missing::fails) return;
  unit_->function->code[at].a = static_cast<uint32_t>(program_.paths.size());
  program_.paths.push_back({options.whole->span, node.span.end});
}

Compiler::Path Compiler::load_root(const Node& node, Exits& exits, AccessOptions options) {
  size_t at = emit(Opcode::load_root, node, 0, 0, root_index(node.text));
  // The root itself must be there in code too; what hangs on it follows F-15 there.
  missing_operands(at, node, exits, mode_of({.from_root = true}, options), options);
  return {.from_root = paths_strict_};
}

Compiler::Path Compiler::member(const Node& node, Exits& exits, AccessOptions options) {
  AccessOptions inner = options;
  inner.tolerant = node.optional;
  Path path = access(*node.kids[0], exits, inner);
  if (node.optional) {
    exits.push_back(emit_jump(Opcode::skip_if_null, node));
    path.after_optional = true;
  }
  size_t at = 0;
  if (node.kind == NodeKind::member) {
    at = emit(Opcode::get_member, node, 0, 0, constant(Value(node.text)));
    unit_->function->offsets.back() = name_offset(node);
  } else {
    expression(*node.kids[1]);
    at = emit(Opcode::get_index, node);
  }
  missing_operands(at, node, exits, mode_of(path, options), options);
  return path;
}

/// Leaves the arguments on the stack one by one, or as one list (true) when any is spread. In
/// Rhythm scripts a function copies what it is called with; the library takes it as it is.
bool Compiler::arguments(const Node& node, bool to_library) {
  constexpr size_t plain_max = 255;
  bool list = node.kids.size() - 1 > plain_max;
  for (size_t i = 1; i < node.kids.size(); ++i) {
    list = list || node.kids[i]->kind == NodeKind::spread;
  }
  if (list) emit(Opcode::new_array, node, 0);
  for (size_t i = 1; i < node.kids.size(); ++i) {
    const Node& argument = *node.kids[i];
    bool spread = argument.kind == NodeKind::spread;
    const Node& value = spread ? *argument.kids[0] : argument;
    if (to_library) {
      kept(value);
    } else {
      expression(value);
    }
    if (list) emit(spread ? Opcode::append_spread : Opcode::append, argument);
  }
  return list;
}

Compiler::Path Compiler::call(const Node& node, Exits& exits, AccessOptions options) {
  const Node& callee = *node.kids[0];
  auto count = static_cast<uint32_t>(node.kids.size() - 1);
  if (is_builtin(callee)) {
    bool list = arguments(node, true);
    emit(list ? Opcode::call_builtin_list : Opcode::call_builtin, node, callee.builtin,
         list ? 0 : count);
    point(node, false);
    return {};
  }
  AccessOptions inner{.whole = &callee, .guarded = options.guarded};
  bool method = callee.kind == NodeKind::member && !node.optional;
  if (method) {
    inner.whole = callee.kids[0];
    inner.tolerant = callee.optional;
    access(*callee.kids[0], exits, inner);
    if (callee.optional) exits.push_back(emit_jump(Opcode::skip_if_null, callee));
    bool list = arguments(node, true);
    emit(list ? Opcode::call_member_list : Opcode::call_member, callee, 0, list ? 0 : count,
         constant(Value(callee.text)));
    unit_->function->offsets.back() = name_offset(callee);
    point(node, false);
    return {};
  }
  inner.tolerant = node.optional;
  access(callee, exits, inner);
  if (node.optional) exits.push_back(emit_jump(Opcode::skip_if_null, node));
  bool list = arguments(node, false);
  emit(list ? Opcode::call_list : Opcode::call, node, 0, list ? 0 : count);
  point(node, false);
  return {};
}

}  // namespace fermata::flow
