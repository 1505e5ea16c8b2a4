#pragma once
#include <string>
#include <string_view>

#include "core/flow/library.h"
#include "core/flow/machine.h"

namespace fermata::flow {

// Every native of library.def; some stand there under two names.
#define FLOW_NATIVE(owner, name, fewest, most, function) Datum function(Machine&, Arguments);
#define FLOW_SCRIPT(owner, name, fewest, most, function)
#define FLOW_EFFECT(owner, name, fewest, most, function) Datum function(Machine&, Arguments);
namespace natives {
#include "core/flow/library.def"
}
#undef FLOW_NATIVE
#undef FLOW_SCRIPT
#undef FLOW_EFFECT

/// The arguments of one native call, read with their types checked. A wrong one throws
/// WRONG_ARG_TYPE in the machine and reads as a harmless default; ask `failed` before using it.
class Call {
 public:
  Call(Machine& machine, Arguments arguments) : machine_(machine), arguments_(arguments) {}

  size_t size() const { return arguments_.size(); }
  bool has(size_t index) const { return index < arguments_.size() && !arguments_[index].is_null(); }
  Datum any(size_t index) const {
    return index < arguments_.size() ? machine_.current(arguments_[index]) : Datum();
  }
  std::string_view text(size_t index);
  double number(size_t index);
  double number(size_t index, double otherwise) { return has(index) ? number(index) : otherwise; }
  /// Whole part, kept inside what an index can be.
  int64_t integer(size_t index);
  int64_t integer(size_t index, int64_t otherwise) {
    return has(index) ? integer(index) : otherwise;
  }
  Datum array(size_t index);
  Datum object(size_t index);
  bool failed() const { return machine_.stopped(); }

 private:
  void wrong(size_t index, std::string_view expected);

  Machine& machine_;
  Arguments arguments_;
};

/// Natives that walk data use the host's stack, so they go no deeper than this.
constexpr int library_nesting_max = 128;

/// A position as `slice` takes it: from the end when negative, inside 0 to size.
size_t relative_index(int64_t index, size_t size);

}  // namespace fermata::flow
