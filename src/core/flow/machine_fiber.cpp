#include "base/json.h"
#include "core/flow/durable/activation.h"
#include "core/flow/machine.h"

/// Lines of control that wait for each other and for the world.
namespace fermata::flow {

void Machine::attach(Activation& activation, const EvalGiven& given, uint64_t random_state) {
  activation_ = &activation;
  given_ = given;
  heap_.limit(given.limits.memory_bytes_max);
  random_ = Random(random_state);
  steps_left_ = given.limits.steps_max;
  slice_floor_ = 0;
  verdict_ = Verdict::none;
  attention_ = false;
}

void Machine::slice_ends_after(uint64_t fuel) {
  slice_floor_ = fuel < steps_left_ ? steps_left_ - fuel : 0;
}

Machine::Verdict Machine::run_on() {
  if (suspended_) {
    suspended_ = false;
    restore(current_);
  }
  if (!attention_ || attend()) loop();
  if (verdict_ == Verdict::sliced) {
    save();
    suspended_ = true;
  }
  attention_ = false;
  return std::exchange(verdict_, Verdict::none);
}

Machine::Verdict Machine::start_main() {
  current_ = main_fiber;
  running_ = true;
  stack_.push({});
  enter(*program_.functions.front(), nullptr, 0);
  return run_on();
}

Machine::Verdict Machine::resume(uint32_t fiber, Wake how) {
  verdict_ = Verdict::none;
  attention_ = false;
  restore(fiber);
  switch (how) {
    case Wake::outcome:
      if (stack_.back().tag != Tag::awaitable) {
        end(Verdict::damaged);
      } else {
        deliver(*static_cast<AwaitableObject*>(stack_.back().heap));
      }
      break;
    case Wake::cancelled: throw_cancelled(); break;
    case Wake::verdict: throw_datum(Datum::verdict()); break;
  }
  return run_on();
}

/// The current fiber's state goes back to where the others are kept.
void Machine::save() {
  frames_.back().next = next_;
  Fiber& fiber = fibers_[current_];
  fiber.stack.assign(stack_.begin(), stack_.end());
  saved_bytes_ += fiber.stack_bytes();
  // What many fibers hold between their steps is memory, too.
  if (saved_bytes_ > given_.limits.memory_bytes_max) end(Verdict::memory);
  fiber.frames.assign(frames_.begin(), frames_.end());
  fiber.handlers.assign(handlers_.begin(), handlers_.end());
  fiber.unwinding = unwinding_;
  fiber.unwind_floor = unwind_floor_;
  stack_.shrink_to(0);
  frames_.shrink_to(0);
  handlers_.shrink_to(0);
  running_ = false;
}

void Machine::restore(uint32_t number) {
  auto found = fibers_.find(number);
  check(found != fibers_.end() && !running_);
  Fiber& fiber = found->second;
  saved_bytes_ -= fiber.stack_bytes();
  stack_.assign(fiber.stack);
  frames_.assign(fiber.frames);
  handlers_.assign(fiber.handlers);
  unwinding_ = fiber.unwinding;
  unwind_floor_ = fiber.unwind_floor;
  for (const Frame& frame : frames_) stack_.reserve(frame.base + frame.function->stack_needed());
  fibers_.erase(found);
  current_ = number;
  running_ = true;
  const Frame& frame = frames_.back();
  next_ = frame.next;
  base_ = frame.base;
  step_cost_ = frame.function->library ? 0 : 1;
}

/// To the fiber that started the one that has just parked or ended, or out of the machine.
void Machine::go_back() {
  if (callers_.empty()) return end(Verdict::parked);
  uint32_t caller = callers_.back();
  callers_.pop_back();
  restore(caller);
}

/// The function begins at once in a fiber of its own; for the caller the call is already over, its
/// result being the awaitable (F-20). The arguments lie above the place of that result.
void Machine::start_fiber(const Function& function, ClosureObject* closure, size_t count) {
  if (activation_ == nullptr) return end(Verdict::damaged);
  uint32_t number = activation_->open_fiber(function);
  if (stopped()) return;
  Datum result = Heap::datum(&awaitable(number));
  std::vector<Datum> arguments(stack_.end() - count, stack_.end());
  stack_.drop(count);
  stack_.back() = result;
  callers_.push_back(current_);
  save();
  current_ = number;
  running_ = true;
  unwinding_ = false;
  unwind_floor_ = 0;
  stack_.push({});
  for (const Datum& argument : arguments) stack_.push(argument);
  enter(function, closure, count);
}

/// The outermost call of a fiber has given its value.
void Machine::finish(const Datum& value) {
  if (activation_ == nullptr || current_ == main_fiber) {
    result_ = value;
    return end(Verdict::finished);
  }
  stack_.shrink_to(0);
  running_ = false;
  if (AwaitableObject* own = find_awaitable(current_)) {
    // A fiber that was cancelled is final already, whatever it still gives.
    if (activation_->is_pending(current_)) {
      own->outcome = value;
      own->has_outcome = true;
    }
  }
  activation_->fiber_completed(current_);
  go_back();
}

/// Nothing caught what was thrown.
void Machine::fail() {
  if (activation_ == nullptr) return end(Verdict::uncaught);
  bool verdict = thrown_value_.tag == Tag::verdict;
  if (current_ == main_fiber && !verdict) return end(Verdict::uncaught);
  Datum thrown = thrown_value_;
  thrown_value_ = {};
  stack_.shrink_to(0);
  frames_.shrink_to(0);
  handlers_.shrink_to(0);
  running_ = false;
  if (verdict) {
    activation_->fiber_unwound(current_);
  } else {
    AwaitableObject* own = find_awaitable(current_);
    if (own != nullptr && activation_->is_pending(current_)) {
      own->outcome = thrown;
      own->has_outcome = true;
      own->threw = true;
    }
    activation_->fiber_failed(current_, thrown);
  }
  go_back();
}

void Machine::op_await(const Instruction&) {
  Datum awaited = stack_.back();
  if (awaited.tag != Tag::awaitable) return;
  auto& object = *static_cast<AwaitableObject*>(awaited.heap);
  if (!activation_->is_pending(object.number)) return deliver(object);
  if (activation_->takes_doom(current_)) return throw_cancelled();
  activation_->fiber_parked(current_, object.number);
  save();
  go_back();
}

/// Puts what the awaitable on top of the stack gave in its place, or throws it (F-26).
/// In Rhythm scripts a failed await gives what failed as a plain value; that every item of an any
/// failed stays an error.
Datum Machine::plain_error(const Datum& thrown) {
  if (thrown.tag != Tag::error) return thrown;
  auto* error = static_cast<ErrorObject*>(thrown.heap);
  if (error->code.is_text() && text_of(error->code) == "AggregateError") return thrown;
  auto* plain = heap_.make<MapObject>();
  auto add = [&](std::string_view name, const Datum& value) {
    if (!value.is_null()) put(*plain, text(name), value);
  };
  add("code", error->code);
  add("message", error->message);
  add("details", error->details);
  add("cause", error->cause);
  if (!error->extra.is_null()) copy_entries(*plain, error->extra);
  return Heap::datum(plain);
}

void Machine::deliver(AwaitableObject& awaited) {
  if (!activation_->materialise(awaited)) return;
  if (awaited.threw && program_.rhythm) {
    stack_.back() = plain_error(awaited.outcome);
  } else if (awaited.threw) {
    throw_datum(awaited.outcome);
  } else {
    stack_.back() = awaited.outcome;
  }
}

void Machine::throw_cancelled() { throw_error("CANCELLED", "it was cancelled"); }

AwaitableObject* Machine::find_awaitable(uint32_t number) {
  auto found = awaitables_.find(number);
  return found == awaitables_.end() ? nullptr : found->second;
}

AwaitableObject& Machine::awaitable(uint32_t number) {
  AwaitableObject*& object = awaitables_[number];
  if (object == nullptr) {
    object = heap_.make<AwaitableObject>();
    object->number = number;
  }
  return *object;
}

std::string Machine::awaitable_id(const Datum& awaitable) const {
  return activation_->execution().id_of(static_cast<AwaitableObject*>(awaitable.heap)->number);
}

std::string Machine::awaitable_text(const Datum& awaitable) const {
  const Awaitable* record =
      activation_->ledger().find(static_cast<AwaitableObject*>(awaitable.heap)->number);
  std::string kind = record == nullptr ? "" : std::string(kind_name(record->kind)) + " ";
  return "[awaitable " + kind + awaitable_id(awaitable) + "]";
}

Machine::Found Machine::find_awaitable_member(const Datum& object, std::string_view name,
                                              Datum& out) {
  if (name == "id") {
    out = text(awaitable_id(object));
    return Found::yes;
  }
  const Awaitable* record =
      activation_->ledger().find(static_cast<AwaitableObject*>(object.heap)->number);
  if (record == nullptr || (name != "kind" && name != "status")) return Found::no;
  out = text(name == "kind" ? kind_name(record->kind) : status_name(record->status));
  return Found::yes;
}

Value Machine::told_of_zones(const std::function<Value(const ZoneTable&)>& ask) {
  if (activation_ != nullptr && activation_->zones() != nullptr)
    return activation_->zones()->answer(ask);
  return ask(given_.zones == nullptr ? *utc_table() : *given_.zones);
}

Place Machine::here() const {
  for (size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (frame.function->library) continue;
    TextPosition at = position_at(program_.text, current_offset());
    return {frame.function->name.empty() ? "main" : frame.function->name, at.line, at.column};
  }
  return {};
}

}  // namespace fermata::flow
