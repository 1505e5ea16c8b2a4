#pragma once
#include "bench/engine.h"

/// What W-95 names: the cost of waits and listeners, few and many. How many are `many` is said by
/// FERMATA_BENCH_WAITS; a million without it.
namespace fermata::bench {

size_t many_waits();
constexpr size_t few_waits = 1'000;

/// A run that waits until `at`, ready to be started.
Command waiting_run(Engine& engine, const graph::DefinitionRef& definition, Instant at);
graph::DefinitionRef define_time_wait(Engine& engine);
graph::DefinitionRef define_event_wait(Engine& engine);
/// A run that listens to a mail of its own contact.
Command listening_run(Engine& engine, const graph::DefinitionRef& definition, size_t contact);

using MakeCommand = std::function<Command()>;

/// How long durable answers take when so many commands a second are sent, in milliseconds.
std::vector<double> latencies_at(Engine& engine, double per_second, double seconds,
                                 const MakeCommand& make);

void measure_many_waits();
void measure_resumes();
void measure_wait_herd();
void measure_listeners();

}  // namespace fermata::bench
