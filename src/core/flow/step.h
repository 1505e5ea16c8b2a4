#pragma once
#include <cstdint>

#include "core/flow/datum.h"

namespace fermata::flow {

class Machine;
struct Step;

enum class Opcode : uint8_t {
#define FLOW_OPCODE(name, effect) name,
#include "core/flow/opcodes.def"
#undef FLOW_OPCODE
  opcodes_count,
};

struct Instruction {
  Opcode op;
  uint8_t b = 0;
  uint16_t c = 0;
  uint32_t a = 0;
};
static_assert(sizeof(Instruction) == 8);

/// How the machine runs from one step to the next: what changes all the time is handed on in
/// registers. `top` is the first free place of the stack, `base` the running function's first slot,
/// `fuel` what is left before the slice or the budget ends.
using StepRun = void (*)(Machine& machine, const Step* at, Datum* top, Datum* base, uint64_t fuel);

/// An instruction made ready to run (docs/adr/0032-steps.md). There is one for each instruction, in
/// the same place, so a position in the code and one in the steps are the same number. A step may
/// do the work of the instructions that follow it as well, and then goes on behind them; they have
/// their own steps nevertheless, for jumps into their midst and for when fuel ends there.
struct Step {
  StepRun run = nullptr;
  Instruction in{};
  union {
    double number;      ///< a constant operand
    const Value* text;  ///< a constant that names a member
    uint32_t right;     ///< the slot of the right operand
    int64_t content;    ///< of a constant that is pushed; its tag stands in `left`
  };
  const Step* next = nullptr;  ///< where it goes on
  union {
    const Step* other;  ///< where it goes on if a condition fails
    uint32_t result;    ///< the slot of the result
  };
  uint32_t left = 0;  ///< the slot of the left, or only, operand
  uint32_t cost = 0;  ///< fuel

  Step() : number(0), other(nullptr) {}
};

struct Function;

/// Fills in the steps of a function whose code and layout are final.
void make_steps(Function& function);

}  // namespace fermata::flow
