#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "core/flow/code.h"
#include "core/flow/fiber.h"
#include "core/flow/heap.h"
#include "core/flow/inline_stack.h"
#include "core/flow/library.h"

namespace fermata::flow {

class Activation;
class Reach;
struct FlowError;
enum class Wake : uint8_t;
struct Place;

/// Runs compiled code. Script calls are frames of its own, never host recursion, so depth is data
/// and the state between two instructions can be written down. One machine serves one
/// evaluation, or one script with all its fibers. Natives use the parts below `run`; they return
/// normally even when they failed, and the machine looks at what they left behind after the
/// instruction.
class Machine {
 public:
  Machine(const Expression::Program& program, const Roots& roots, const EvalGiven& given);
  ~Machine();  ///< takes the steps it used from the pool
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs to the end: true when there is a result.
  bool run();
  /// The same for one function of the program. It can neither wait nor act.
  bool run(ClosureObject& closure, std::span<const Datum> arguments);
  Datum result() const { return result_; }
  Result<Value, EvalError> result_value();
  /// Why there is no result; call after `run` gave false.
  EvalError error();
  /// The JSON that a datum stands for; fails the evaluation with NOT_JSON or a limit.
  std::optional<Value> to_json_value(const Datum& datum);

  // Failing and metering.
  Datum throw_error(std::string_view code, std::string message);
  Datum throw_type(std::string message) { return throw_error("TYPE_ERROR", std::move(message)); }
  Datum throw_argument(std::string message) {
    return throw_error("WRONG_ARG_TYPE", std::move(message));
  }
  bool stopped() const { return attention_; }
  /// Takes steps for work inside one instruction; false when they are used up.
  bool charge(uint64_t steps);
  bool charge_bytes(size_t bytes) { return charge(bytes / bytes_per_step); }
  /// True when a text of that size may be made; else the evaluation ends.
  bool text_fits(size_t bytes);
  /// True when a list of that many items may be made; else the evaluation ends.
  bool list_fits(size_t items);
  /// True when that much more memory may be used; else the evaluation ends.
  bool memory_fits(size_t bytes);

  // Making values.
  Heap& heap() { return heap_; }
  /// Keeps JSON alive to the end; `bytes` count as memory.
  Datum keep(Value value, size_t bytes);
  /// The same with the bytes measured; scalars and texts need no keeping.
  Datum keep(Value value);
  Datum text(std::string&& content);
  Datum text(const char* content) { return text(std::string_view(content)); }
  Datum text(std::string_view content);

  // Reading values; they see through JSON that the script has changed meanwhile.
  Datum current(const Datum& datum) const;
  size_t array_size(const Datum& array) const;
  Datum array_item(const Datum& array, size_t index) const;
  std::vector<Datum> array_items(const Datum& array);
  size_t object_size(const Datum& object) const;
  std::pair<Datum, Datum> object_entry(const Datum& object, size_t index) const;
  std::optional<Datum> object_find(const Datum& object, std::string_view key) const;

  // Changing values.
  ArrayObject& own_array(const Datum& array);
  MapObject& own_object(const Datum& object);
  void put(MapObject& object, const Datum& key, const Datum& value);
  void append(ArrayObject& array, const Datum& item);
  void copy_entries(MapObject& to, const Datum& from);
  /// An array as it is, a string as the array of its code points; else TYPE_ERROR.
  Datum list_of(const Datum& source, std::string_view expectation);

  // Meaning of values.
  static bool truthy(const Datum& datum);
  bool equal(const Datum& left, const Datum& right, int depth = 0);
  /// What `==` says, also in Rhythm scripts.
  bool compares_equal(const Datum& left, const Datum& right);
  static bool same(const Datum& left, const Datum& right);
  static std::string_view type_name(const Datum& datum);
  /// True when methods of that owner belong to the value.
  static bool is_receiver(const Datum& datum, Owner owner);
  /// The text form of F-14.
  std::string to_text(const Datum& datum);
  Random& random() { return random_; }
  Instant now() const { return given_.now; }
  /// What the zone data says to a question. A script that is run again is told the same again.
  Value told_of_zones(const std::function<Value(const ZoneTable&)>& ask);
  Datum make_error(std::string_view code, const Datum& message);
  void throw_datum(const Datum& value);

  // Scripts that wait (machine_fiber.cpp). An activation attaches itself for its length.
  enum class Verdict : uint8_t {
    none,
    finished,
    uncaught,
    unresolved,
    steps,
    memory,
    text,
    list,
    depth,
    fibers,
    awaitables,
    damaged,
    parked,  ///< the fiber that was resumed, and those it started, are parked or over
    sliced,  ///< the slice of fuel is used up; `run_on` continues
  };
  void attach(Activation& activation, const EvalGiven& given, uint64_t random_state);
  Activation& activation() { return *activation_; }
  Verdict start_main();
  Verdict resume(uint32_t fiber, Wake how);
  /// Continues after a slice; the next one ends when `fuel` more has been used.
  Verdict run_on();
  void slice_ends_after(uint64_t fuel);
  uint64_t fuel_left() const { return steps_left_; }
  void end(Verdict verdict);
  /// What nothing caught, by the rules of F-22.
  FlowError thrown_error();
  bool has_thrown() const { return thrown_; }
  Verdict verdict() const { return verdict_; }
  /// What the main fiber gave, as JSON; nothing when it is none, or too much.
  std::optional<Value> export_result();
  /// Frees what nothing reaches and forgets awaitables that went with it.
  void collect();
  /// All fibers are parked or suspended: drops what no instruction to come can use, so that a
  /// machine that stays and one that is rebuilt from its snapshot are alike.
  void tidy();
  void keep_only(const Reach& reach);
  size_t live_bytes() const { return heap_.bytes_used(); }
  /// The one object of that number; `find` gives nullptr when no script value reaches it.
  AwaitableObject& awaitable(uint32_t number);
  AwaitableObject* find_awaitable(uint32_t number);
  std::string awaitable_id(const Datum& awaitable) const;
  Place here() const;
  size_t fibers_count() const { return fibers_.size() + running_; }

 private:
  friend class Reach;
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class Migration;
  friend class SnapshotView;
  friend struct Quick;
  static constexpr size_t bytes_per_step = 16;
  static constexpr int nesting_max = 128;

  struct Root {
    bool asked = false;
    bool present = false;
    Value value;
  };

#define FLOW_OPCODE(name, effect) void op_##name(const Instruction& in);
#include "core/flow/opcodes.def"
#undef FLOW_OPCODE

  // machine_step.cpp
  void loop();
  bool may_go_on();

  // machine.cpp
  bool attend();
  const Root& root(size_t index);

  // machine_fiber.cpp
  void finish(const Datum& value);
  void fail();
  void start_fiber(const Function& function, ClosureObject* closure, size_t count);
  void save();
  void restore(uint32_t fiber);
  void go_back();
  Datum plain_error(const Datum& thrown);
  void deliver(AwaitableObject& awaited);
  void throw_cancelled();

  // machine_call.cpp
  void enter(const Function& function, ClosureObject* closure, size_t count);
  void call_value(const Datum& callee, size_t count);
  void call_builtin(uint32_t number, size_t count, bool has_place);
  bool counts_fit(const Builtin& called, size_t count);
  size_t spread_list();
  void call_method(const Instruction& in, size_t count);
  void make_place(size_t count);
  CellObject* cell_in(uint32_t slot);
  void throw_unset(std::string_view how);
  void load_from(const CellObject* cell);
  void assign_to(CellObject* cell);

  // machine_access.cpp
  enum class Found : uint8_t { yes, no, thrown };
  uint32_t find_method(Owner owner, std::string_view name) const;
  Found find_member(const Datum& object, std::string_view name, Datum& out);
  Found find_awaitable_member(const Datum& object, std::string_view name, Datum& out);
  Found find_error_member(const Datum& object, std::string_view name, Datum& out);
  Found find_element(const Datum& object, const Datum& key, Datum& out);
  void missing(const Instruction& in, const Datum& object, std::string_view what);
  void unresolved(const PathSpan& path);
  std::optional<Datum> key_text(const Datum& key);
  void set_element(const Datum& object, const Datum& key, const Datum& value);
  bool set_key(const Datum& object, const Datum& key, const Datum& value);
  void remove_key(const Datum& object, const Datum& key);

  // machine_error.cpp
  bool unwind();
  size_t current_offset() const;
  std::string call_stack() const;
  EvalError limit_error() const;
  EvalError uncaught_error();

  // machine_operator.cpp
  void arithmetic(const Instruction& in, Opcode op);
  void comparison(Opcode op);
  Datum join(const Datum& left, const Datum& right);
  bool equal_arrays(const Datum& left, const Datum& right, int depth);
  bool equal_objects(const Datum& left, const Datum& right, int depth);

  // machine_text.cpp
  bool append_text(std::string& out, const Datum& datum, int depth);
  std::string awaitable_text(const Datum& awaitable) const;
  bool append_list_text(std::string& out, const Datum& list, int depth);

  // machine_json.cpp
  struct Export;
  std::optional<Value> export_array(const Datum& datum, Export& state);
  std::optional<Value> export_object(const Datum& datum, Export& state);
  std::optional<Value> export_error(const Datum& datum, Export& state);
  std::optional<Value> export_any(const Datum& datum, Export& state);
  bool touched(const Value& value) const;
  bool not_json(const Export& state, std::string_view why);

  const Expression::Program& program_;
  const Expression::Program& prelude_;
  const Roots& given_roots_;
  EvalGiven given_;
  Heap heap_;
  Random random_;
  const uint64_t steps_given_;
  uint64_t steps_left_;
  uint64_t slice_floor_ = 0;  ///< fuel that is left when the slice ends

  InlineStack<Datum, 48> stack_;
  InlineStack<Frame, 4> frames_;
  InlineStack<Handler, 2> handlers_;
  const Step* next_ = nullptr;
  size_t base_ = 0;
  uint64_t step_cost_ = 1;

  std::array<Root, 3> few_roots_;
  std::unique_ptr<Root[]> many_roots_;
  struct Kept {
    std::unique_ptr<Value> value;
    size_t bytes;
  };
  std::vector<Kept> kept_;
  // Fibers. The running one has its state in the members above.
  Activation* activation_ = nullptr;
  std::map<uint32_t, Fiber> fibers_;
  size_t saved_bytes_ = 0;         ///< that the stacks of those take
  std::vector<uint32_t> callers_;  ///< each started the next one and waits for it to park
  uint32_t current_ = main_fiber;
  bool running_ = false;    ///< `current_` is the fiber whose state stands above
  bool suspended_ = false;  ///< `current_` goes on with the next slice
  bool unwinding_ = false;
  uint32_t unwind_floor_ = 0;
  std::map<uint32_t, AwaitableObject*> awaitables_;

  /// JSON that the script has changed, by address, with the copy that took its place.
  std::map<const Value*, HeapObject*> adopted_;

  bool attention_ = false;
  bool thrown_ = false;
  Verdict verdict_ = Verdict::none;
  Datum result_;
  Datum thrown_value_;
  size_t thrown_offset_ = 0;  ///< of the throw, for values that do not know it themselves
  size_t exported_bytes_ = 0;
  std::unique_ptr<EvalError> unresolved_;
};

}  // namespace fermata::flow
