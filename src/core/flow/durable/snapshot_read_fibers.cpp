#include "core/flow/durable/snapshot_codes.h"
#include "core/flow/durable/snapshot_reader.h"

namespace fermata::flow {

using namespace snapshot;

const Function* SnapshotReader::function() {
  uint64_t code = in_.varint();
  const Expression::Program& program =
      code % 2 == 1 ? *machine_.program_.prelude : machine_.program_;
  if (code / 2 < program.functions.size()) return program.functions[code / 2].get();
  in_.fail();
  return nullptr;
}

void SnapshotReader::read_fibers() {
  size_t count = in_.count();
  for (size_t i = 0; i < count && in_.ok(); ++i) read_fiber();
  uint64_t suspended = in_.varint();
  if (suspended > 0) {
    machine_.suspended_ = true;
    machine_.current_ = static_cast<uint32_t>(suspended - 1);
    if (!machine_.fibers_.contains(machine_.current_)) in_.fail();
  }
  size_t callers = in_.count();
  for (size_t i = 0; i < callers && in_.ok(); ++i) {
    auto caller = static_cast<uint32_t>(in_.varint());
    if (!machine_.fibers_.contains(caller)) in_.fail();
    machine_.callers_.push_back(caller);
  }
}

void SnapshotReader::read_fiber() {
  auto number = static_cast<uint32_t>(in_.varint());
  auto [found, added] = machine_.fibers_.try_emplace(number);
  Fiber& fiber = found->second;
  uint64_t unwinding = in_.varint();
  size_t frames = in_.count();
  if (!added || frames == 0 || number > execution_.last_number) return in_.fail();
  fiber.stack.emplace_back();
  for (size_t i = 0; i < frames && in_.ok(); ++i) read_frame(fiber);
  machine_.saved_bytes_ += fiber.stack_bytes();
  fiber.unwinding = unwinding > 0;
  if (unwinding > fiber.handlers.size() + 1) return in_.fail();
  fiber.unwind_floor = static_cast<uint32_t>(unwinding > 0 ? unwinding - 1 : 0);
}

void SnapshotReader::read_frame(Fiber& fiber) {
  const Function* of = function();
  uint64_t next = in_.varint();
  uint64_t closure = in_.varint();
  if (!in_.ok() || next >= of->code.size()) return in_.fail();
  uint32_t height = of->layout.heights[next];
  if (height == Layout::nowhere || closure > objects_.size()) return in_.fail();
  Frame frame{of, nullptr, of->step(next), fiber.stack.size()};
  if (closure > 0) {
    HeapObject* found = objects_[closure - 1];
    if (found->kind != Tag::closure) return in_.fail();
    frame.closure = static_cast<ClosureObject*>(found);
  }
  size_t size = size_t{of->slots} + height;
  for (size_t i = 0; i < size && in_.ok(); ++i) fiber.stack.push_back(datum());
  fiber.frames.push_back(frame);
  add_handlers(fiber, *of, of->layout.guards[next]);
}

/// Outermost first, as they were entered.
void SnapshotReader::add_handlers(Fiber& fiber, const Function& of, uint32_t guard) {
  std::vector<const Layout::Guard*> guards;
  for (; guard != 0; guard = of.layout.table[guard].outer) {
    guards.push_back(&of.layout.table[guard]);
  }
  auto frames = static_cast<uint32_t>(fiber.frames.size());
  auto base = static_cast<uint32_t>(fiber.frames.back().base + of.slots);
  for (size_t i = guards.size(); i-- > 0;) {
    fiber.handlers.push_back(
        {frames, base + guards[i]->height, guards[i]->target, guards[i]->final});
  }
}

/// Records and machine must know the same fibers, and a frame's closure be one of its function.
bool SnapshotReader::fits_records() const {
  auto exists = [&](uint32_t fiber) { return machine_.fibers_.contains(fiber); };
  for (const auto& [fiber, parked] : execution_.parked) {
    if (!exists(fiber)) return false;
  }
  for (const ReadyFiber& ready : execution_.ready) {
    if (!exists(ready.fiber)) return false;
  }
  for (const auto& [number, fiber] : machine_.fibers_) {
    for (const Frame& frame : fiber.frames) {
      bool fits = frame.closure == nullptr ? frame.function->captures.empty()
                                           : frame.closure->function == frame.function;
      if (!fits) return false;
    }
  }
  return execution_.open.has_value() == machine_.suspended_;
}

}  // namespace fermata::flow
