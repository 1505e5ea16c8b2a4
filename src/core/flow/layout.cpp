#include "core/flow/layout.h"

#include <algorithm>

#include "core/flow/code.h"
#include "core/flow/library.h"

namespace fermata::flow {

namespace {

/// How an instruction changes the stack and where control goes from it.
struct Motion {
  uint32_t pops = 0;
  uint32_t pushes = 0;
  bool falls_through = true;
  bool jumps = false;
  uint32_t pushes_at_jump = 0;  ///< after the same pops
};

Motion moves(uint32_t pops, uint32_t pushes) { return {pops, pushes}; }

/// Reading that may be cut short: `is_null` leaves its null where operand a points to.
Motion reads(const Instruction& in, uint32_t pops) {
  Motion out{pops, 1};
  out.jumps = static_cast<Missing>(in.b) == Missing::is_null;
  out.pushes_at_jump = 1;
  return out;
}

Motion branches(uint32_t pops, uint32_t pushes, uint32_t pushes_at_jump) {
  return {pops, pushes, true, true, pushes_at_jump};
}

Motion motion_of(const Instruction& in) {
  switch (in.op) {
    case Opcode::constant:
    case Opcode::null:
    case Opcode::load:
    case Opcode::load_cell:
    case Opcode::load_outer:
    case Opcode::load_builtin:
    case Opcode::closure:
    case Opcode::self:
    case Opcode::new_object: return moves(0, 1);
    case Opcode::pop:
    case Opcode::initialise:
    case Opcode::assign:
    case Opcode::initialise_cell:
    case Opcode::assign_cell:
    case Opcode::assign_outer: return moves(1, 0);
    case Opcode::duplicate: return moves(1, 2);
    case Opcode::duplicate_two: return moves(2, 4);
    case Opcode::under_one: return moves(2, 2);
    case Opcode::under_two:
    case Opcode::rotate_three: return moves(3, 3);
    case Opcode::under_three: return moves(4, 4);
    case Opcode::new_cell:
    case Opcode::wrap_cell:
    case Opcode::copy_cell:
    case Opcode::clear:
    case Opcode::pop_handler:
    case Opcode::leave_final: return moves(0, 0);
    case Opcode::undefined_variable: return {0, 0, false};
    case Opcode::throw_value:
    case Opcode::give: return {1, 0, false};
    case Opcode::load_root: return reads(in, 0);
    case Opcode::get_member: return reads(in, 1);
    case Opcode::get_index: return reads(in, 2);
    case Opcode::delete_member:
    case Opcode::instance_of:
    case Opcode::logical_not:
    case Opcode::negate:
    case Opcode::plus:
    case Opcode::type_of:
    case Opcode::iterate_of:
    case Opcode::iterate_in:
    case Opcode::to_list:
    case Opcode::list_item:
    case Opcode::list_rest:
    case Opcode::object_rest:
    case Opcode::call_builtin_list:
    case Opcode::await: return moves(1, 1);
    case Opcode::set_index:
    case Opcode::put_index: return moves(3, 1);
    case Opcode::call:
    case Opcode::call_member:
    case Opcode::call_entry: return moves(in.b + 1u, 1);
    case Opcode::call_builtin: return moves(in.b, 1);
    case Opcode::new_array:
    case Opcode::text_template: return moves(in.a, 1);
    case Opcode::jump: return {0, 0, false, true, 0};
    case Opcode::jump_if_false:
    case Opcode::jump_if_true: return branches(1, 0, 0);
    case Opcode::keep_if_false:
    case Opcode::keep_if_true:
    case Opcode::keep_if_set: return branches(1, 0, 1);
    case Opcode::skip_if_null: return branches(1, 1, 1);
    case Opcode::next: return branches(0, 1, 0);
    case Opcode::push_handler: return branches(0, 0, 1);
    default:
      // The rest are binary: two operands, one result.
      return moves(2, 1);
  }
}

/// What a closure takes along must be there where it is made.
bool captures_fit(const Function& made, const Function& around) {
  return std::ranges::all_of(made.captures, [&](const Function::Capture& capture) {
    return capture.index < (capture.from_slot ? around.slots : around.captures.size());
  });
}

/// Operands that name something must name something that exists.
bool in_bounds(const Instruction& in, const Function& function) {
  const Expression::Program& program = *function.program;
  auto slot = [&](uint32_t index) { return index < function.slots; };
  auto text = [&](uint32_t index) {
    return index < program.constants.size() && program.constants[index].is_string();
  };
  auto missing = [&] {
    auto mode = static_cast<Missing>(in.b);
    if (mode == Missing::fails) return in.a < program.paths.size();
    return mode == Missing::plain || mode == Missing::is_null;
  };
  switch (in.op) {
    case Opcode::constant: return in.a < program.constants.size();
    case Opcode::undefined_variable: return text(in.a);
    case Opcode::load:
    case Opcode::initialise:
    case Opcode::assign:
    case Opcode::load_cell:
    case Opcode::initialise_cell:
    case Opcode::assign_cell:
    case Opcode::new_cell:
    case Opcode::wrap_cell:
    case Opcode::copy_cell:
    case Opcode::clear: return slot(in.a);
    case Opcode::leave_final: return slot(in.a) && slot(in.a + 1);
    case Opcode::next: return slot(in.c);
    case Opcode::load_outer:
    case Opcode::assign_outer: return in.a < function.captures.size();
    case Opcode::load_root: return in.c < program.roots.size() && missing();
    case Opcode::get_member: return text(in.c) && missing();
    case Opcode::get_index: return missing();
    case Opcode::set_member:
    case Opcode::delete_member:
    case Opcode::call_member:
    case Opcode::call_member_list:
    case Opcode::put_member: return text(in.c);
    case Opcode::load_builtin:
    case Opcode::call_builtin:
    case Opcode::call_builtin_list:
      // Methods are found through their receiver.
      return in.a < program.library_size && !is_method(builtin(in.a).owner);
    case Opcode::closure:
      return in.a < program.functions.size() && captures_fit(*program.functions[in.a], function);
    case Opcode::object_rest:
      return in.a < program.constants.size() && program.constants[in.a].is_array() &&
             std::ranges::all_of(program.constants[in.a].items(), &Value::is_string);
    case Opcode::instance_of: return in.b <= static_cast<uint8_t>(InstanceType::promise);
    case Opcode::loose: return in.b <= static_cast<uint8_t>(Loose::in);
    default: return in.op < Opcode::opcodes_count;
  }
}

class Walk {
 public:
  explicit Walk(const Function& function) : function_(function) {
    layout_.heights.assign(function.code.size(), Layout::nowhere);
    layout_.guards.assign(function.code.size(), 0);
    layout_.table.emplace_back();
  }

  std::optional<Layout> run() {
    if (function_.parameters > function_.slots) return std::nullopt;
    if (function_.slots > height_limit) return std::nullopt;
    if (function_.has_rest && function_.parameters == 0) return std::nullopt;
    reach(0, 0, 0);
    while (sound_ && !open_.empty()) {
      uint32_t at = open_.back();
      open_.pop_back();
      visit(at);
    }
    if (!sound_) return std::nullopt;
    return std::move(layout_);
  }

 private:
  static constexpr uint32_t height_limit = 1 << 20;

  void reach(uint32_t at, uint32_t height, uint32_t guard) {
    if (at >= function_.code.size() || height > height_limit) {
      sound_ = false;
      return;
    }
    layout_.height_max = std::max(layout_.height_max, height);
    if (layout_.heights[at] == Layout::nowhere) {
      layout_.heights[at] = height;
      layout_.guards[at] = guard;
      open_.push_back(at);
    } else if (layout_.heights[at] != height || !same(layout_.guards[at], guard)) {
      sound_ = false;
    }
  }

  /// Two ways into one place may have come through different entries for the same try block.
  bool same(uint32_t a, uint32_t b) const {
    while (a != b) {
      const Layout::Guard& left = layout_.table[a];
      const Layout::Guard& right = layout_.table[b];
      bool alike = a != 0 && b != 0 && left.target == right.target && left.height == right.height &&
                   left.final == right.final;
      if (!alike) return false;
      a = left.outer;
      b = right.outer;
    }
    return true;
  }

  void visit(uint32_t at) {
    const Instruction& in = function_.code[at];
    uint32_t height = layout_.heights[at];
    uint32_t guard = layout_.guards[at];
    Motion motion = motion_of(in);
    if (!in_bounds(in, function_) || motion.pops > height) {
      sound_ = false;
      return;
    }
    uint32_t rest = height - motion.pops;
    uint32_t next_guard = guard;
    if (in.op == Opcode::push_handler) {
      next_guard = static_cast<uint32_t>(layout_.table.size());
      layout_.table.push_back({guard, in.a, height, in.b != 0});
    } else if (in.op == Opcode::pop_handler) {
      if (guard == 0) sound_ = false;
      next_guard = layout_.table[guard].outer;
    }
    layout_.height_max = std::max(layout_.height_max, rest + motion.pushes);
    if (motion.falls_through) reach(at + 1, rest + motion.pushes, next_guard);
    if (motion.jumps) reach(in.a, rest + motion.pushes_at_jump, guard);
  }

  const Function& function_;
  Layout layout_;
  std::vector<uint32_t> open_;
  bool sound_ = true;
};

}  // namespace

bool operands_fit(const Function& function) {
  return std::ranges::all_of(function.code, [&](const Instruction& in) {
    bool lands = in.op >= Opcode::opcodes_count || !motion_of(in).jumps;
    return in_bounds(in, function) && (lands || in.a < function.code.size());
  });
}

bool repeats_at_a_price(const Function& function) {
  for (uint32_t at = 0; at < function.code.size(); ++at) {
    const Instruction& in = function.code[at];
    switch (in.op) {
      case Opcode::jump: break;
      case Opcode::push_handler: return false;
      default:
        if (motion_of(in).jumps && in.a <= at) return false;
    }
  }
  return true;
}

std::optional<Layout> layout_of(const Function& function) { return Walk(function).run(); }

}  // namespace fermata::flow
