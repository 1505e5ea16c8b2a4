#include "core/flow/durable/activation.h"

#include <algorithm>

#include "core/flow/durable/activate.h"
#include "core/flow/durable/awaitable_errors.h"
#include "core/flow/durable/reach.h"
#include "core/flow/durable/snapshot.h"

namespace fermata::flow {

Activation::Activation(Execution& execution, Machine& machine, const FlowGiven& given,
                       std::vector<Outgoing>& out)
    : execution_(execution),
      machine_(machine),
      given_(given),
      out_(out),
      ledger_(execution, out),
      now_(given.now) {}

EvalGiven Activation::machine_given() const {
  const FlowLimits& limits = given_.limits;
  EvalGiven out;
  out.now = now_;
  out.limits.steps_max = limits.fuel - std::min(limits.fuel, fuel_before_);
  out.limits.text_bytes_max = limits.string_bytes;
  // Results that nobody has taken yet are memory of the run, too.
  out.limits.memory_bytes_max =
      limits.memory_bytes - std::min(limits.memory_bytes, execution_.result_bytes);
  out.limits.list_items_max = limits.list_items;
  out.limits.call_depth_max = limits.call_depth;
  return out;
}

uint64_t Activation::fuel_used() const {
  return given_.limits.fuel - std::min(given_.limits.fuel, fuel_before_) - machine_.fuel_left();
}

void Activation::run() {
  uint64_t random = given_.entropy;
  bool continues = execution_.open.has_value();
  if (continues) {
    now_ = execution_.open->now;
    random = execution_.open->random;
    fuel_before_ = execution_.open->fuel_used;
    log_lines_ = execution_.open->log_lines;
    execution_.open.reset();
  } else {
    ++execution_.activations;
  }
  machine_.attach(*this, machine_given(), random);
  machine_.slice_ends_after(given_.limits.slice);
  auto verdict = Machine::Verdict::parked;
  if (!execution_.started) {
    execution_.started = true;
    verdict = machine_.start_main();
  } else if (continues) {
    verdict = machine_.run_on();
  }
  while (step_on(verdict)) {
    if (execution_.ready.empty()) settle_down();
    if (execution_.ready.empty() || execution_.ended()) break;
    ReadyFiber next = execution_.ready.front();
    execution_.ready.erase(execution_.ready.begin());
    verdict = machine_.resume(next.fiber, next.wake);
  }
  execution_.fuel += fuel_used();
  if (logs_dropped_ > 0) ledger_.tell(LogsDropped{logs_dropped_});
  if (!execution_.ended() && !execution_.open) apply_deferred();
}

/// False when the machine must not go on.
bool Activation::step_on(Machine::Verdict verdict) {
  switch (verdict) {
    case Machine::Verdict::parked:
      if (execution_.unwinding == FlowEnd::none || !execution_.unwinding_fibers.empty()) {
        return true;
      }
      ledger_.finish(execution_.unwinding);
      return false;
    case Machine::Verdict::finished: complete(); return false;
    case Machine::Verdict::sliced: cut(); return false;
    default: fail(error_of(verdict)); return false;
  }
}

void Activation::complete() {
  auto output = machine_.export_result();
  if (!output) return fail(error_of(machine_.verdict()));
  execution_.output = *std::move(output);
  ledger_.finish(FlowEnd::completed);
}

void Activation::fail(FlowError error) {
  // A run that is being cancelled has that status in the end, whatever its clean-up came to.
  if (execution_.unwinding != FlowEnd::none) {
    ledger_.tell(Warned{"cleanup-failed", error.code + ": " + error.message},
                 {"", error.line, error.column});
    return ledger_.finish(execution_.unwinding);
  }
  execution_.error = std::move(error);
  ledger_.finish(FlowEnd::failed);
}

/// Every fiber is parked: what the script cannot reach any more is given up, the rest is written
/// down. Signals given back on the way may make a fiber ready again; then it is not over yet.
void Activation::settle_down() {
  machine_.tidy();
  Reach reach(machine_);
  machine_.keep_only(reach);
  if (machine_.live_bytes() > machine_given().limits.memory_bytes_max) {
    return fail(error_of(Machine::Verdict::memory));
  }
  give_up_unreachable();
  if (!execution_.ready.empty()) return;
  if (ledger_.stuck()) {
    FlowError error{"deadlock", "every fiber waits for another one; nothing can wake them", {}, {}};
    if (auto main = execution_.parked.find(main_fiber); main != execution_.parked.end()) {
      error.line = main->second.place.line;
      error.column = main->second.place.column;
    }
    return fail(std::move(error));
  }
  write_down(reach);
}

void Activation::give_up_unreachable() {
  std::vector<uint32_t> lost;
  for (auto& [number, record] : execution_.awaitables) {
    if (machine_.find_awaitable(number) == nullptr) lost.push_back(number);
  }
  for (uint32_t number : lost) {
    Awaitable* record = ledger_.find(number);
    if (record == nullptr) continue;
    if (record->kind == AwaitableKind::signal && !record->wait.taken) {
      ledger_.withdraw(number);
      record = ledger_.find(number);
      if (record == nullptr) continue;
    }
    record->lost = true;
    if (!record->pending()) ledger_.forget(number);
  }
}

void Activation::write_down(const Reach& reach) {
  std::string bytes = encode_snapshot(machine_, execution_, reach);
  uint64_t size = bytes.size() + execution_.result_bytes;
  const FlowLimits& limits = given_.limits;
  if (size > limits.snapshot_max_bytes) {
    return fail({"snapshot_too_large",
                 "the run's state takes " + std::to_string(size) + " bytes, more than " +
                     std::to_string(limits.snapshot_max_bytes) + " (flow.snapshot_max)",
                 {},
                 {}});
  }
  bool large = size > limits.snapshot_warn_bytes;
  if (large && !execution_.warned_of_size) {
    ledger_.tell(Warned{"snapshot-large", "the run's state takes " + std::to_string(size) +
                                              " bytes (flow.snapshot_warn)"});
  }
  execution_.warned_of_size = large;
  execution_.snapshot = std::move(bytes);
}

void Activation::cut() {
  execution_.open =
      OpenActivation{now_, machine_.random().state(), fuel_before_ + fuel_used(), log_lines_};
  machine_.tidy();
  Reach reach(machine_);
  machine_.keep_only(reach);
  write_down(reach);
}

/// What came while the activation was cut takes effect now, in the order it came.
void Activation::apply_deferred() {
  std::vector<FlowCommand> deferred = std::exchange(execution_.deferred, {});
  for (FlowCommand& command : deferred) {
    if (execution_.ended()) return;
    (void)take(execution_, std::move(command), given_, out_);
  }
}

Datum Activation::datum_of(uint32_t number) { return Heap::datum(&machine_.awaitable(number)); }

bool Activation::room_for_awaitable() {
  if (execution_.pending < given_.limits.awaitables) return true;
  machine_.end(Machine::Verdict::awaitables);
  return false;
}

Datum Activation::open(Awaitable record) {
  if (!room_for_awaitable()) return {};
  record.place = machine_.here();
  return datum_of(ledger_.open(std::move(record)));
}

void Activation::log(std::string_view level, std::string message, std::optional<Value> data) {
  if (log_lines_ >= given_.limits.log_lines) {
    ++logs_dropped_;
    return;
  }
  ++log_lines_;
  if (message.size() > given_.limits.log_line_bytes) {
    size_t end = given_.limits.log_line_bytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
    message.resize(end);
  }
  ledger_.tell(Logged{std::string(level), std::move(message), std::move(data)}, machine_.here());
}

bool Activation::is_pending(uint32_t number) {
  const Awaitable* record = ledger_.find(number);
  return record != nullptr && record->pending();
}

uint32_t Activation::open_fiber(const Function& function) {
  if (machine_.fibers_count() >= given_.limits.fibers) {
    machine_.end(Machine::Verdict::fibers);
    return 0;
  }
  if (!room_for_awaitable()) return 0;
  Awaitable record;
  record.kind = AwaitableKind::fiber;
  record.name = function.name;
  record.place = machine_.here();
  return ledger_.open(std::move(record));
}

void Activation::fiber_parked(uint32_t fiber, uint32_t awaiting) {
  ledger_.park(fiber, awaiting, machine_.here());
}

void Activation::fiber_completed(uint32_t fiber) {
  execution_.unwinding_fibers.erase(fiber);
  ledger_.end_fiber(fiber, AwaitableStatus::completed);
}

void Activation::fiber_failed(uint32_t fiber, const Datum& thrown) {
  execution_.unwinding_fibers.erase(fiber);
  // What it threw stays in the machine; the records keep a word for whoever reads the history.
  Value why = Value::object({{"message", machine_.to_text(thrown)}});
  ledger_.end_fiber(fiber, AwaitableStatus::failed, std::move(why));
}

void Activation::fiber_unwound(uint32_t fiber) {
  execution_.unwinding_fibers.erase(fiber);
  if (fiber != main_fiber) {
    (void)ledger_.settle(fiber, AwaitableStatus::cancelled, cancelled_error(execution_.reason));
  }
}

bool Activation::takes_doom(uint32_t fiber) { return execution_.doomed.erase(fiber) > 0; }

}  // namespace fermata::flow
