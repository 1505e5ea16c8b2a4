#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/value.h"
#include "core/flow/expression.h"
#include "core/flow/layout.h"
#include "core/flow/step.h"
#include "core/flow/token.h"

namespace fermata::flow {

/// What reading through a missing part does (G-15).
enum class Missing : uint8_t {
  plain,    ///< the rules of values decide: null or TYPE_ERROR (F-15)
  fails,    ///< the evaluation ends with `unresolved_reference`; operand a is the path
  is_null,  ///< the whole path is null; operand a is where it ends
};

enum class InstanceType : uint8_t { error, array, object, function, promise };

/// The loose comparisons of conditions and rules (G-16).
enum class Loose : uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  contains,
  in,
};

/// A reference in the source: all of it, and where the part ends that one instruction reads.
struct PathSpan {
  Span whole;
  uint32_t part_end = 0;
};

struct Function {
  /// Where a closure's cell comes from when the closure is made.
  struct Capture {
    bool from_slot = false;  ///< else from the cells of the function around it
    uint32_t index = 0;
    std::string name{};  ///< of the variable
  };
  /// A variable's slot is its own from one instruction to before another; in between it may be
  /// shown, and must be kept when the machine is written down.
  struct Local {
    std::string name;  ///< empty for what the compiler put there itself
    uint32_t slot = 0;
    uint32_t from = 0;
    uint32_t to = 0;
    bool cell = false;  ///< closures share it
  };
  /// An instruction behind which a fiber may stand, and the expression it belongs to.
  struct Point {
    uint32_t next = 0;  ///< the instruction that follows
    Span span;
    bool awaits = false;  ///< else it calls
  };
  const Expression::Program* program = nullptr;
  uint32_t index = 0;                ///< in its program
  const Function* around = nullptr;  ///< the one it stands in
  std::string name;
  uint32_t parameters = 0;
  bool has_rest = false;  ///< the last parameter takes all further arguments
  bool is_async = false;  ///< a call starts a fiber
  bool library = false;   ///< part of the prelude: not metered by instruction, not in positions
  uint32_t slots = 0;
  std::vector<Instruction> code;
  std::vector<uint32_t> offsets;  ///< of each instruction, in the source
  std::vector<Step> steps;        ///< the code once more, as the machine runs it
  std::vector<Capture> captures;
  std::vector<Local> locals;  ///< of scripts alone, as are the points
  std::vector<Point> points;
  Layout layout;

  /// So many slots are part of the call; more cost fuel like elements that a built-in handles.
  static constexpr uint32_t slots_free = 64;
  /// A call opens a frame of few slots, and every parameter has one of its own.
  bool is_plain = false;
  const Step* step(size_t instruction) const { return steps.data() + instruction; }
  /// The instruction that a step begins with.
  uint32_t index_of(const Step* at) const { return static_cast<uint32_t>(at - steps.data()); }
  /// What a call of it may need of the stack.
  size_t stack_needed() const { return size_t{slots} + layout.height_max; }
};

/// Compiled code is stored under this number (F-46). It grows when instructions or functions of the
/// library are added; what was stored under a smaller one runs on unchanged.
constexpr uint32_t current_code_version = 1;

/// A compiled text.
struct Expression::Program {
  std::string text;
  Grammar grammar = Grammar::expression;
  std::vector<Value> constants;
  std::vector<std::string> roots;
  std::vector<PathSpan> paths;
  std::vector<std::unique_ptr<Function>> functions;  ///< the first is the text itself
  std::string hash;  ///< of a script: SHA-256 of its source, 32 bytes
  uint32_t code_version = current_code_version;
  bool rhythm = false;  ///< F-66
  /// Functions of the library that there were when it was compiled: others do not exist for it.
  uint32_t library_size = 0;
  std::shared_ptr<const Program> prelude;  ///< of a script: the part of the library written in it
  /// Of that part: its functions by number, nullptr for native ones.
  std::vector<const Function*> scripted;
};

/// Gives every function its number, its layout and its steps. False when some code is not sound;
/// what the compiler writes is.
bool make_ready(Expression::Program& program);

/// Resolves and compiles; the public `parse` without its choice of grammar.
struct CompileOptions {
  Grammar grammar = Grammar::expression;
  ParseLimits limits;
  bool prelude = false;
};
Result<std::shared_ptr<const Expression::Program>, SyntaxError> compile(std::string_view text,
                                                                        CompileOptions options);

}  // namespace fermata::flow
