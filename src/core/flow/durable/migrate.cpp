#include "core/flow/durable/migrate.h"

#include <algorithm>

#include "base/json.h"
#include "core/flow/durable/given_roots.h"
#include "core/flow/durable/migration_points.h"
#include "core/flow/durable/reach.h"

namespace fermata::flow {

namespace {

using Locals = std::vector<const Function::Local*>;

Locals live_at(const Function& function, uint32_t next) {
  Locals out;
  for (const Function::Local& local : function.locals)
    if (local.from <= next && next < local.to) out.push_back(&local);
  // Outer ones first, as their scopes were entered.
  std::ranges::stable_sort(out, {}, [](const Function::Local* local) { return local->slot; });
  return out;
}

/// The one of that name that has as many of the same name before it.
const Function::Local* counterpart(const Locals& among, const Locals& with,
                                   const Function::Local* one) {
  size_t before = 0;
  for (const Function::Local* local : with) {
    if (local == one) break;
    if (local->name == one->name) ++before;
  }
  for (const Function::Local* local : among)
    if (local->name == one->name && before-- == 0) return local;
  return nullptr;
}

size_t hidden_in(const Locals& locals) {
  return static_cast<size_t>(
      std::ranges::count_if(locals, [](const auto* local) { return local->name.empty(); }));
}

bool same_guards(const Function& before, uint32_t at, const Function& after, uint32_t to) {
  uint32_t left = before.layout.guards[at];
  uint32_t right = after.layout.guards[to];
  while (left != 0 && right != 0) {
    const Layout::Guard& one = before.layout.table[left];
    const Layout::Guard& other = after.layout.table[right];
    if (one.height != other.height || one.final != other.final) return false;
    left = one.outer;
    right = other.outer;
  }
  return left == right;
}

uint32_t next_of(const Frame& frame) { return frame.function->index_of(frame.next); }

}  // namespace

/// Turns a machine of one program into one of another, frame by frame.
class Migration {
 public:
  Migration(Execution& execution, const MigrationPath& path, Machine& machine)
      : execution_(execution),
        path_(path),
        points_(path.from.program(), path.to.program(), path.map),
        machine_(machine) {}

  MigrationReport run() {
    for (const std::string& name : points_.unknown())
      add("point_unknown", "the map names " + name + ", which is no await point", {});
    for (auto& [number, fiber] : machine_.fibers_) move_fiber(number, fiber);
    move_closures();
    if (report_.ok()) write_down();
    return std::move(report_);
  }

 private:
  void add(std::string code, std::string message, TextPosition at) {
    report_.problems.push_back({std::move(code), std::move(message), at.line, at.column});
  }

  void move_fiber(uint32_t number, Fiber& fiber) {
    std::vector<Datum> stack(1);
    std::vector<Frame> frames;
    for (size_t i = 0; i < fiber.frames.size(); ++i) {
      bool last = i + 1 == fiber.frames.size();
      size_t end = last ? fiber.stack.size() : fiber.frames[i + 1].base;
      if (!move_frame(number, fiber, fiber.frames[i], end, stack, frames)) {
        progress_ = {};
        return;
      }
    }
    progress_ = {};
    fiber.stack = std::move(stack);
    fiber.frames = std::move(frames);
    auto parked = execution_.parked.find(number);
    if (parked != execution_.parked.end()) moved_places_[number] = place_of(fiber);
  }

  /// Where the innermost frame of the script's own stands.
  static Place place_of(const Fiber& fiber) {
    for (size_t i = fiber.frames.size(); i-- > 0;) {
      const Function& function = *fiber.frames[i].function;
      if (function.library) continue;
      TextPosition at = MigrationPoints::position_of(function, next_of(fiber.frames[i]));
      return {function.name.empty() ? "main" : function.name, at.line, at.column};
    }
    return {};
  }

  bool move_frame(uint32_t number, const Fiber& fiber, const Frame& frame, size_t end,
                  std::vector<Datum>& stack, std::vector<Frame>& frames) {
    const Function& before = *frame.function;
    uint32_t at = next_of(frame);
    const auto* point = MigrationPoints::point_before(before, at);
    const Function* after = points_.function(before);
    if (point == nullptr) {
      add("running", "fiber " + fiber_name(number) + " does not stand at an await point", {});
      return false;
    }
    TextPosition where = MigrationPoints::position_of(before, at);
    std::string from = MigrationPoints::name_of(before, *point);
    auto found = points_.point(before, *point);
    if (after == nullptr || found.point == nullptr) {
      add(after == nullptr ? "function_gone" : "point_gone",
          "the other version has nothing that stands for " + from +
              (point->awaits ? "; map it to another await of that function" : ""),
          where);
      return false;
    }
    if (!same_layout(before, at, *after, found.point->next)) {
      add("layout_changed", "around " + from + " the other version holds other values", where);
      return false;
    }
    MovedFrame told{fiber_name(number),
                    before.name.empty() ? "main" : before.name,
                    from,
                    MigrationPoints::name_of(*after, *found.point),
                    found.by_map ? "map" : "text",
                    {},
                    {},
                    {}};
    size_t base = stack.size();
    progress_ = {&frames, &stack};
    ClosureObject* closure = frame.closure;
    if (closure == nullptr && !after->captures.empty()) closure = closure_of(*after);
    frames.push_back({after, closure, after->step(found.point->next), base});
    stack.resize(base + after->slots, Datum::unset());
    move_slots({before, at, fiber.stack.data() + frame.base},
               {*after, found.point->next, stack.data() + base}, told);
    for (size_t i = frame.base + before.slots; i < end; ++i) stack.push_back(fiber.stack[i]);
    declare_functions(frames.back(), stack, told);
    if (!before.library) report_.frames.push_back(std::move(told));
    return true;
  }

  static bool same_layout(const Function& before, uint32_t at, const Function& after, uint32_t to) {
    return before.layout.heights[at] == after.layout.heights[to] &&
           same_guards(before, at, after, to) &&
           hidden_in(live_at(before, at)) == hidden_in(live_at(after, to));
  }

  struct Slots {
    const Function& function;
    uint32_t next;
    Datum* first;
  };
  struct ConstSlots {
    const Function& function;
    uint32_t next;
    const Datum* first;
  };

  void move_slots(const ConstSlots& from, const Slots& to, MovedFrame& told) {
    Locals before = live_at(from.function, from.next);
    Locals after = live_at(to.function, to.next);
    for (const Function::Local* local : after) {
      const Function::Local* old = counterpart(before, after, local);
      Datum& slot = to.first[local->slot];
      if (old == nullptr) {
        slot = as_cell(Datum(), local->cell);
        if (!local->name.empty()) told.added.push_back(local->name);
        continue;
      }
      const Datum& value = from.first[old->slot];
      slot = old->cell == local->cell ? value : as_cell(content(value), local->cell);
      if (!local->name.empty()) told.kept.push_back(local->name);
    }
    for (const Function::Local* local : before)
      if (!local->name.empty() && counterpart(after, before, local) == nullptr)
        told.dropped.push_back(local->name);
  }

  Datum as_cell(Datum value, bool cell) {
    if (!cell) return value;
    auto* made = machine_.heap_.make<CellObject>();
    made->value = value;
    return Heap::datum(made);
  }
  static Datum content(const Datum& value) {
    return value.tag == Tag::cell ? static_cast<CellObject*>(value.heap)->value : value;
  }

  /// A function that the other version declares is there from the start of its block.
  void declare_functions(const Frame& frame, std::vector<Datum>& stack, const MovedFrame& told) {
    for (const Function::Local* local : live_at(*frame.function, next_of(frame))) {
      if (std::ranges::find(told.added, local->name) == told.added.end()) continue;
      for (const auto& function : frame.function->program->functions) {
        if (function->around != frame.function || function->name != local->name) continue;
        auto* made = machine_.heap_.make<ClosureObject>();
        made->function = function.get();
        for (const Function::Capture& capture : function->captures)
          made->cells.push_back(cell_for(capture, frame, stack));
        Datum& slot = stack[frame.base + local->slot];
        if (local->cell) {
          static_cast<CellObject*>(slot.heap)->value = Heap::datum(made);
        } else {
          slot = Heap::datum(made);
        }
      }
    }
  }

  CellObject* cell_for(const Function::Capture& capture, const Frame& frame,
                       const std::vector<Datum>& stack) {
    if (capture.from_slot) {
      const Datum& slot = stack[frame.base + capture.index];
      if (slot.tag == Tag::cell) return static_cast<CellObject*>(slot.heap);
    } else if (frame.closure != nullptr) {
      // The closure may still be of the old function: by name.
      const auto& captures = frame.closure->function->captures;
      for (size_t i = 0; i < captures.size(); ++i)
        if (captures[i].name == capture.name) return frame.closure->cells[i];
    }
    auto* made = machine_.heap_.make<CellObject>();
    made->value = Datum();
    return made;
  }

  void move_closures() {
    Reach reach(machine_);
    for (HeapObject* object : reach.objects())
      if (object->kind == Tag::closure) move_closure(static_cast<ClosureObject&>(*object));
  }

  void move_closure(ClosureObject& closure) {
    const Function& before = *closure.function;
    // Made by this migration.
    if (before.program == &path_.to.program() || before.library) return;
    const Function* after = points_.function(before);
    if (after == nullptr) {
      size_t offset = before.offsets.empty() ? 0 : before.offsets.front();
      return add("function_gone",
                 "a value is function " + before.name + ", which the other version does not have",
                 position_at(before.program->text, offset));
    }
    std::vector<CellObject*> cells;
    for (const Function::Capture& capture : after->captures) {
      auto old = std::ranges::find(before.captures, capture.name, &Function::Capture::name);
      cells.push_back(old == before.captures.end()
                          ? cell_around(*after, capture)
                          : closure.cells[static_cast<size_t>(old - before.captures.begin())]);
    }
    closure.function = after;
    closure.cells = std::move(cells);
  }

  /// A variable that only the other version's function uses: of the frame around it, if that is
  /// still there.
  CellObject* cell_around(const Function& function, const Function::Capture& capture) {
    if (progress_.frames != nullptr)
      for (const Frame& frame : *progress_.frames)
        if (frame.function == function.around) return cell_for(capture, frame, *progress_.stack);
    for (const auto& [number, fiber] : machine_.fibers_)
      for (const Frame& frame : fiber.frames)
        if (frame.function == function.around) return cell_for(capture, frame, fiber.stack);
    auto* made = machine_.heap_.make<CellObject>();
    made->value = Datum();
    return made;
  }

  /// For a function that used nothing of what is around it before.
  ClosureObject* closure_of(const Function& function) {
    auto* made = machine_.heap_.make<ClosureObject>();
    made->function = &function;
    for (const Function::Capture& capture : function.captures)
      made->cells.push_back(cell_around(function, capture));
    return made;
  }

  void write_down() {
    Reach reach(machine_);
    std::string bytes = encode_snapshot_as(path_.to.program(), machine_, execution_, reach);
    // Read once before it counts: what cannot be read again must not take the place of what can.
    GivenRoots roots(execution_);
    Machine trial(path_.to.program(), roots, {});
    if (auto read = decode_snapshot(bytes, trial, execution_); !read)
      return add("layout_changed", read.error().message, {});
    execution_.snapshot = std::move(bytes);
    for (auto& [number, place] : moved_places_) execution_.parked.at(number).place = place;
  }

  std::string fiber_name(uint32_t number) const {
    return number == main_fiber ? "main" : execution_.id_of(number);
  }

  Execution& execution_;
  const MigrationPath& path_;
  MigrationPoints points_;
  Machine& machine_;
  /// The fiber that is being moved, as far as it is.
  struct Progress {
    const std::vector<Frame>* frames = nullptr;
    const std::vector<Datum>* stack = nullptr;
  };
  Progress progress_;
  MigrationReport report_;
  std::map<uint32_t, Place> moved_places_;
};

Result<MigrationReport, SnapshotError> migrate(Execution& execution, const MigrationPath& path) {
  MigrationReport report;
  if (!execution.started) return report;
  if (execution.open) {
    report.problems.push_back({"running", "an activation is under way; pause the execution", 0, 0});
    return report;
  }
  GivenRoots roots(execution);
  Machine machine(path.from.program(), roots, {});
  FERMATA_TRY_VOID(decode_snapshot(execution.snapshot, machine, execution));
  return Migration(execution, path, machine).run();
}

Value MigrationReport::to_value() const {
  auto texts = [](const std::vector<std::string>& list) {
    Value out = Value::array();
    for (const std::string& one : list) out.push(one);
    return out;
  };
  Value moved = Value::array();
  for (const MovedFrame& frame : frames)
    moved.push(Value::object({{"fiber", frame.fiber},
                              {"function", frame.function},
                              {"from", frame.from},
                              {"to", frame.to},
                              {"by", frame.by},
                              {"kept", texts(frame.kept)},
                              {"dropped", texts(frame.dropped)},
                              {"added", texts(frame.added)}}));
  Value wrong = Value::array();
  for (const MigrationProblem& problem : problems)
    wrong.push(Value::object({{"code", problem.code},
                              {"message", problem.message},
                              {"line", problem.line},
                              {"column", problem.column}}));
  return Value::object(
      {{"ok", ok()}, {"frames", std::move(moved)}, {"problems", std::move(wrong)}});
}

}  // namespace fermata::flow
