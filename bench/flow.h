#pragma once
#include <string>
#include <string_view>

#include "core/flow/durable/activate.h"
#include "core/run/script_definition.h"

namespace fermata::bench {

/// A script, compiled. One with mistakes ends the program.
class Script {
 public:
  explicit Script(std::string_view source);
  const flow::Expression& program() const { return definition_->program; }
  const graph::DefinitionRef& definition() const { return definition_; }

 private:
  graph::DefinitionRef definition_;
};

/// Fuel and memory without end.
flow::FlowGiven unlimited();

/// Microseconds of the processor for each task of a `Task.all`, from its start to its end, without
/// a store.
double all_in_memory_us(int64_t tasks);

// `./dev bench flow`, one file each.
void measure_language();
void measure_parking();
void measure_snapshots();
void measure_tasks();
void measure_fan_out();
void measure_parked_scripts();
void measure_delays();

}  // namespace fermata::bench
