#include <array>

#include "base/check.h"
#include "core/flow/ast.h"
#include "core/flow/code.h"
#include "core/flow/library.h"

namespace fermata::flow {

namespace {

/// The functions of the library that call back into the script, in the language itself: their
/// frames are ordinary frames, so a callback may one day park inside them (F-45).
constexpr std::string_view prelude_text = R"flow(
function array_map(a, f) {
  need_function(a, f)
  const out = []
  let i = 0
  for (const x of a) out.push(f(x, i++, a))
  return out
}
function array_filter(a, f) {
  need_function(a, f)
  const out = []
  let i = 0
  for (const x of a) if (f(x, i++, a)) out.push(x)
  return out
}
function array_for_each(a, f) {
  need_function(a, f)
  let i = 0
  for (const x of a) f(x, i++, a)
}
function array_some(a, f) {
  need_function(a, f)
  let i = 0
  for (const x of a) if (f(x, i++, a)) return true
  return false
}
function array_every(a, f) {
  need_function(a, f)
  let i = 0
  for (const x of a) if (!f(x, i++, a)) return false
  return true
}
function array_find(a, f) {
  need_function(a, f)
  let i = 0
  for (const x of a) if (f(x, i++, a)) return x
  return null
}
function array_find_index(a, f) {
  need_function(a, f)
  let i = 0
  for (const x of a) {
    if (f(x, i, a)) return i
    i++
  }
  return -1
}
function array_find_last(a, f) {
  need_function(a, f)
  let i = a.length
  for (const x of a.toReversed()) if (f(x, --i, a)) return x
  return null
}
function array_flat_map(a, f) {
  need_function(a, f)
  const out = []
  let i = 0
  for (const x of a) {
    const y = f(x, i++, a)
    if (y instanceof Array) out.push(...y)
    else out.push(y)
  }
  return out
}
function array_reduce(a, f, ...start) {
  need_function(a, f)
  if (start.length == 0 && a.length == 0) fail_empty_reduce()
  let seeded = start.length > 0
  let total = seeded ? start[0] : null
  let i = 0
  for (const x of a) {
    total = seeded ? f(total, x, i, a) : x
    seeded = true
    i++
  }
  return total
}
function array_reduce_right(a, f, ...start) {
  need_function(a, f)
  if (start.length == 0 && a.length == 0) fail_empty_reduce()
  let seeded = start.length > 0
  let total = seeded ? start[0] : null
  let i = a.length
  for (const x of a.toReversed()) {
    i--
    total = seeded ? f(total, x, i, a) : x
    seeded = true
  }
  return total
}
function array_to_sorted(a, f) {
  if (f == null) return sorted_plainly(a)
  need_function(a, f)
  const n = a.length
  let from = a.slice()
  let to = a.slice()
  for (let width = 1; width < n; width = width * 2) {
    for (let low = 0; low < n; low = low + 2 * width) {
      const middle = Math.min(low + width, n)
      const high = Math.min(low + 2 * width, n)
      let left = low
      let right = middle
      for (let k = low; k < high; k++) {
        const takes_left = left < middle && (right >= high || f(from[left], from[right]) <= 0)
        if (takes_left) to[k] = from[left++]
        else to[k] = from[right++]
      }
    }
    const done = to
    to = from
    from = done
  }
  return from
}
function array_sort(a, f) { return replace_items(a, a.toSorted(f)) }
function array_from(source, f) {
  const list = list_from(source)
  return f == null ? list : list.map(f)
}
)flow";

}  // namespace

bool name_scripted(Expression::Program& prelude) {
  prelude.scripted.clear();
  for (uint32_t number = 0; number < prelude.library_size; ++number) {
    const Builtin& one = builtin(number);
    const Function* found = nullptr;
    for (const auto& function : prelude.functions) {
      // They are called without a closure.
      bool callable = function->captures.empty() && !function->is_async;
      if (!one.script.empty() && function->name == one.script && callable) found = function.get();
    }
    if (found == nullptr && one.native == nullptr && !one.effect) return false;
    prelude.scripted.push_back(found);
  }
  return true;
}

const std::shared_ptr<const Expression::Program>& prelude_program() {
  static const std::shared_ptr<const Expression::Program> made = [] {
    CompileOptions options;
    options.grammar = Grammar::fragment;
    options.prelude = true;
    auto compiled = compile(prelude_text, options);
    check(static_cast<bool>(compiled));
    auto program = std::const_pointer_cast<Expression::Program>(*std::move(compiled));
    check(name_scripted(*program));
    return program;
  }();
  return made;
}

}  // namespace fermata::flow
