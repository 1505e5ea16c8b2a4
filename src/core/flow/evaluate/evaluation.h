#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/value.h"
#include "core/flow/durable/activate.h"
#include "core/flow/durable/zone_answers.h"

/// A script run in memory against a world that is written down: no server, no workers, a clock that
/// moves only when a step says so. The same case prints the same bytes (F-63, F-64).
namespace fermata::flow {

struct EvaluationCase {
  std::string source;
  std::string name = "eval";  ///< of the workflow, where the file declares none
  Value inputs = Value::object();
  std::vector<Value> resume;
  std::vector<Value> steps;
  bool rhythm = false;
  bool states = false;
  bool crash = false;  ///< everything is rebuilt from its bytes after every step
  /// The machine stays in memory while nothing crashes. The engine rebuilds it for every
  /// activation, and so does an evaluation: equal texts are one text then, and take the memory of
  /// one.
  bool resident = false;
  Instant now{1'767'225'600'000};  ///< 2026-01-01T00:00:00.000Z
  uint64_t seed = 0;
  FlowLimits limits;
  std::shared_ptr<const ZoneTable> zones = nullptr;  ///< none: UTC and fixed offsets
};

struct EvaluationAnswer {
  Value value;
  int exit = 0;  ///< 0 completed or suspended, 1 failed, 2 a step that fits nothing
};

EvaluationAnswer evaluate_flow(const EvaluationCase& given);

/// One evaluation under way.
class Evaluation {
 public:
  explicit Evaluation(const EvaluationCase& given);
  EvaluationAnswer run();

 private:
  /// Something the script asked the world for.
  struct Asked {
    uint32_t number = 0;
    AwaitableKind kind = AwaitableKind::task;
    std::string name;
    Value input;
    Value options;
    std::string status = "pending";
  };
  struct Timer {
    uint32_t number = 0;
    Instant due;
    double seconds = 0;
    std::string state = "armed";
  };
  /// What a step names: an awaitable that may have settled, or nothing.
  struct Target {
    uint32_t number = 0;
    bool pending = false;
  };

  // evaluation.cpp
  bool compile_source();
  void play();
  void play_step(const Value& step);
  void settle();
  void crash();
  void collect();
  void note(const Outgoing& outgoing);
  void refresh();
  FlowGiven given_now();

  // evaluation_steps.cpp
  void apply(const Value& step);
  void apply_end(const Value& step, std::string_view verb);
  void apply_signal(const Value& step);
  void apply_fire(const Value& step);
  void apply_advance(const Value& step);
  void apply_resume(const Value& value);
  void apply_batch(const Value& step);
  void take_command(FlowCommand command);
  void fire(Timer& timer);
  Timer* timer_of(const Value& target);
  Timer* next_timer(std::optional<Instant> until = std::nullopt);
  std::optional<Target> target_of(const Value& target);
  std::optional<Target> target_named(std::string_view name);
  std::optional<Target> target_number(uint32_t number);
  std::optional<uint32_t> number_of(const Value& id) const;
  Value failure_of(uint32_t number, const Value& step) const;
  void misfit(std::string message);
  bool stopped() const { return misfit_ || damaged_ || execution_.ended(); }

  // evaluation_view.cpp
  Value state() const;
  Value awaiting() const;
  Value awaited(uint32_t number, int depth) const;
  Value asked(const std::vector<Asked>& list, std::string_view name_key, bool input) const;
  Value timers() const;
  Value signals() const;
  Value error_value() const;

  EvaluationCase given_;
  Instant now_;
  Expression script_;
  Value refused_;  ///< findings that kept the script from running
  Execution execution_;
  std::optional<ZoneAnswers> zones_;
  Resident resident_;
  std::vector<Outgoing> out_;
  std::vector<Asked> tasks_;
  std::vector<Asked> children_;
  std::vector<Asked> approvals_;
  std::vector<Timer> timers_;
  Value logs_ = Value::array();
  Value warnings_ = Value::array();
  uint64_t parked_bytes_ = 0;  ///< of the last snapshot with every fiber parked
  uint64_t ignored_ = 0;
  size_t step_ = 0;
  std::optional<std::string> misfit_;
  std::optional<FlowError> damaged_;
  Value states_ = Value::array();
};

}  // namespace fermata::flow
