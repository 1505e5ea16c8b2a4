#include <algorithm>

#include "core/flow/machine.h"

namespace fermata::flow {

/// Opens a frame whose arguments lie on top of the stack, above one place for the result.
void Machine::enter(const Function& function, ClosureObject* closure, size_t count) {
  if (frames_.size() >= given_.limits.call_depth_max) return end(Verdict::depth);
  size_t base = stack_.size() - count;
  if (function.slots > Function::slots_free) {
    size_t needed = (base + function.stack_needed()) * sizeof(Datum);
    if (!charge(function.slots / bytes_per_step)) return;
    if (needed + saved_bytes_ > given_.limits.memory_bytes_max) return end(Verdict::memory);
  }
  if (!frames_.empty()) frames_.back().next = next_;
  stack_[base - 1] = {};  // the callee; what it captured may be free to go
  if (function.has_rest) {
    size_t plain = function.parameters - 1;
    while (count < plain) {
      stack_.push({});
      ++count;
    }
    std::vector<Datum> rest(stack_.data() + base + plain, stack_.data() + base + count);
    stack_.shrink_to(base + plain);
    stack_.push(heap_.array(std::move(rest)));
  } else if (count > function.parameters) {
    stack_.shrink_to(base + function.parameters);
  } else {
    for (; count < function.parameters; ++count) stack_.push({});
  }
  stack_.reserve(base + function.stack_needed());
  for (size_t i = function.parameters; i < function.slots; ++i) stack_.push(Datum::unset());
  frames_.push({&function, closure, nullptr, base});
  base_ = base;
  next_ = function.step(0);
  step_cost_ = function.library ? 0 : 1;
}

/// Makes room for a result under the `count` topmost values.
void Machine::make_place(size_t count) {
  stack_.push({});
  Datum* top = stack_.end();
  std::copy_backward(top - 1 - count, top - 1, top);
  *(top - 1 - count) = {};
}

/// The callee lies under its `count` arguments.
void Machine::call_value(const Datum& callee, size_t count) {
  switch (callee.tag) {
    case Tag::closure: {
      auto* closure = static_cast<ClosureObject*>(callee.heap);
      if (closure->function->library && !charge(1)) return;
      if (closure->function->is_async) return start_fiber(*closure->function, closure, count);
      return enter(*closure->function, closure, count);
    }
    case Tag::builtin: return call_builtin(callee.builtin, count, true);
    case Tag::bound: {
      auto* bound = static_cast<BoundObject*>(callee.heap);
      make_place(count);
      *(stack_.end() - 1 - count) = bound->receiver;
      return call_builtin(bound->builtin, count + 1, true);
    }
    default: throw_error("NOT_A_FUNCTION", std::string(type_name(callee)) + " is not a function");
  }
}

bool Machine::counts_fit(const Builtin& called, size_t count) {
  size_t given = count - is_method(called.owner);
  if (given >= called.arguments_min &&
      (called.arguments_max == any_count || given <= called.arguments_max)) {
    return true;
  }
  std::string takes = std::to_string(called.arguments_min);
  if (called.arguments_max == any_count) {
    takes += " or more";
  } else if (called.arguments_max != called.arguments_min) {
    takes += " to " + std::to_string(called.arguments_max);
  }
  throw_error("WRONG_ARG_COUNT", std::string(called.name) + " takes " + takes + " arguments, " +
                                     std::to_string(given) + " given");
  return false;
}

/// `count` includes the receiver. `has_place`: a place for the result lies under the arguments.
void Machine::call_builtin(uint32_t number, size_t count, bool has_place) {
  const Builtin& called = builtin(number);
  bool from_library = step_cost_ == 0;
  if (from_library && called.arguments_max != any_count) {
    // As a callback a function gets as many arguments as it takes.
    size_t takes = size_t{called.arguments_max} + is_method(called.owner);
    if (count > takes) {
      stack_.drop(count - takes);
      count = takes;
    }
  }
  if (!counts_fit(called, count)) return;
  if (!charge(1)) return;
  if (called.native == nullptr) {
    if (!has_place) make_place(count);
    return enter(*prelude_.scripted[number], nullptr, count);
  }
  if (called.effect && activation_ == nullptr) {
    throw_type("`" + std::string(called.name) + "` waits or acts, which is not possible here");
    return;
  }
  Datum made = called.native(*this, Arguments(stack_.end() - count, count));
  stack_.drop(count + has_place);
  stack_.push(made);
}

/// Replaces the list on top by its elements and gives their number.
size_t Machine::spread_list() {
  Datum list = stack_.pop();
  if (!list.is_array()) {
    end(Verdict::damaged);
    return 0;
  }
  size_t count = array_size(list);
  if (!charge(count)) return 0;
  for (size_t i = 0; i < count; ++i) stack_.push(array_item(list, i));
  return count;
}

void Machine::op_call(const Instruction& in) { call_value(stack_.from_top(in.b), in.b); }

/// The entry of a script: an async function, too, runs in the main fiber itself.
void Machine::op_call_entry(const Instruction& in) {
  const Datum& callee = stack_.from_top(in.b);
  if (callee.tag != Tag::closure) return call_value(callee, in.b);
  auto* closure = static_cast<ClosureObject*>(callee.heap);
  enter(*closure->function, closure, in.b);
}

void Machine::op_call_list(const Instruction&) {
  size_t count = spread_list();
  if (!stopped()) call_value(stack_.from_top(count), count);
}

/// The step just begun knows the methods of that name that arrays and texts have (steps.cpp).
void Machine::call_method(const Instruction& in, size_t count) {
  std::string_view name = frames_.back().function->program->constants[in.c].as_string();
  Datum object = current(stack_.from_top(count));
  stack_.from_top(count) = object;
  uint32_t number = no_builtin;
  bool has_methods = true;
  if (object.is_array()) {
    number = next_[-1].left;
  } else if (object.is_text()) {
    number = next_[-1].right;
  } else if (object.is_number()) {
    number = find_method(Owner::number_type, name);
  } else if (object.tag == Tag::awaitable) {
    number = find_method(Owner::awaitable_type, name);
  } else {
    has_methods = false;
  }
  if (has_methods) {
    if (number != no_builtin) return call_builtin(number, count + 1, false);
  } else {
    Datum callee;
    Found found = find_member(object, name, callee);
    if (found == Found::thrown) return;
    if (found == Found::yes && callee.is_function()) {
      stack_.from_top(count) = callee;
      return call_value(callee, count);
    }
  }
  if (object.is_null()) {
    throw_type("null has no member `" + std::string(name) + "`");
  } else {
    throw_error("NOT_A_FUNCTION", "`" + std::string(name) + "` is not a function of this " +
                                      std::string(type_name(object)));
  }
}

void Machine::op_call_member(const Instruction& in) { call_method(in, in.b); }

void Machine::op_call_member_list(const Instruction& in) {
  size_t count = spread_list();
  if (!stopped()) call_method(in, count);
}

void Machine::op_call_builtin(const Instruction& in) { call_builtin(in.a, in.b, false); }

void Machine::op_call_builtin_list(const Instruction& in) {
  size_t count = spread_list();
  if (!stopped()) call_builtin(in.a, count, false);
}

void Machine::op_load_builtin(const Instruction& in) { stack_.push(Datum::of_builtin(in.a)); }

void Machine::op_closure(const Instruction& in) {
  const Frame& frame = frames_.back();
  const Function& function = *frame.function->program->functions[in.a];
  auto* closure = heap_.make<ClosureObject>();
  closure->function = &function;
  closure->cells.reserve(function.captures.size());
  for (const Function::Capture& capture : function.captures) {
    CellObject* cell =
        capture.from_slot ? cell_in(capture.index) : frame.closure->cells[capture.index];
    if (cell == nullptr) return;
    closure->cells.push_back(cell);
  }
  heap_.grow(*closure, closure->cells.size() * sizeof(CellObject*));
  stack_.push(Heap::datum(closure));
}

void Machine::op_self(const Instruction&) {
  ClosureObject* own = frames_.back().closure;
  if (own == nullptr) return end(Verdict::damaged);
  stack_.push(Heap::datum(own));
}

// Variables that closures share. Code and snapshots come from a store, so a slot that should hold a
// cell is looked at before it is used as one.

CellObject* Machine::cell_in(uint32_t slot) {
  const Datum& datum = stack_[base_ + slot];
  if (datum.tag == Tag::cell) [[likely]]
    return static_cast<CellObject*>(datum.heap);
  end(Verdict::damaged);
  return nullptr;
}

void Machine::op_new_cell(const Instruction& in) {
  stack_[base_ + in.a] = Heap::datum(heap_.make<CellObject>());
}
void Machine::op_wrap_cell(const Instruction& in) {
  auto* cell = heap_.make<CellObject>();
  cell->value = stack_[base_ + in.a];
  stack_[base_ + in.a] = Heap::datum(cell);
}
void Machine::op_copy_cell(const Instruction& in) {
  CellObject* from = cell_in(in.a);
  if (from == nullptr) return;
  auto* cell = heap_.make<CellObject>();
  cell->value = from->value;
  stack_[base_ + in.a] = Heap::datum(cell);
}

void Machine::throw_unset(std::string_view how) {
  throw_error(program_.rhythm ? "INTERNAL_ERROR" : "UNDEFINED_VARIABLE",
              "a variable is " + std::string(how) + " before its declaration has run");
}

void Machine::load_from(const CellObject* cell) {
  if (cell == nullptr) return;
  if (cell->value.tag == Tag::unset) return throw_unset("used");
  stack_.push(cell->value);
}

void Machine::assign_to(CellObject* cell) {
  if (cell == nullptr) return;
  if (cell->value.tag == Tag::unset && !program_.rhythm) return throw_unset("set");
  cell->value = stack_.pop();
}

void Machine::op_load_cell(const Instruction& in) { load_from(cell_in(in.a)); }
void Machine::op_initialise_cell(const Instruction& in) {
  CellObject* cell = cell_in(in.a);
  if (cell != nullptr) cell->value = stack_.pop();
}
void Machine::op_assign_cell(const Instruction& in) { assign_to(cell_in(in.a)); }
void Machine::op_load_outer(const Instruction& in) {
  load_from(frames_.back().closure->cells[in.a]);
}
void Machine::op_assign_outer(const Instruction& in) {
  assign_to(frames_.back().closure->cells[in.a]);
}

}  // namespace fermata::flow
