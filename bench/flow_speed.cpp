#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/cpu_time.h"
#include "bench/engine.h"
#include "bench/flow.h"

/// (a) The same small programs in flow, in Lua and in JavaScript. Each is of the shape that its
/// name says. All are timed by the processor's time that they took themselves, so that what else
/// the machine does counts for none of them; what starts and ends a process is not counted.
namespace fermata::bench {

namespace {

struct Program {
  const char* name;
  bool simple;  ///< of instructions that a floor is set for
  int64_t n;
  const char* flow;
  const char* lua;
  const char* script;  ///< JavaScript
};

const Program programs[] = {
    {"loop", true, 3'000'000, R"(
workflow bench(inputs) {
  const n = inputs.n
  let s = 0
  let i = 0
  while (i < n) {
    s = s + i % 7
    i = i + 1
  }
  return s
})",
     R"(
local s, i = 0, 0
while i < n do
  s = s + i % 7
  i = i + 1
end
return s)",
     R"(
let s = 0
let i = 0
while (i < n) {
  s = s + i % 7
  i = i + 1
}
return s)"},
    {"calls", true, 25, R"(
function fib(n) {
  if (n < 2) return n
  return fib(n - 1) + fib(n - 2)
}
workflow bench(inputs) {
  return fib(inputs.n)
})",
     R"(
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
return fib(n))",
     R"(
function fib(n) {
  if (n < 2) return n
  return fib(n - 1) + fib(n - 2)
}
return fib(n))"},
    {"properties", true, 1'000'000, R"(
workflow bench(inputs) {
  const n = inputs.n
  const point = { x: 0, y: 1, z: 2 }
  const list = [1, 2, 3, 4]
  let i = 0
  while (i < n) {
    point.x = point.x + point.y
    list[1] = list[0] + list[3]
    i = i + 1
  }
  return point.x + list[1]
})",
     R"(
local point = { x = 0, y = 1, z = 2 }
local list = { 1, 2, 3, 4 }
local i = 0
while i < n do
  point.x = point.x + point.y
  list[2] = list[1] + list[4]
  i = i + 1
end
return point.x + list[2])",
     R"(
const point = { x: 0, y: 1, z: 2 }
const list = [1, 2, 3, 4]
let i = 0
while (i < n) {
  point.x = point.x + point.y
  list[1] = list[0] + list[3]
  i = i + 1
}
return point.x + list[1])"},
    {"strings", false, 300'000, R"(
workflow bench(inputs) {
  const n = inputs.n
  let total = 0
  let i = 0
  while (i < n) {
    const s = "item-" + i
    if (s.startsWith("item")) total = total + s.length + s.slice(2, 5).length
    i = i + 1
  }
  return total
})",
     R"(
local total, i = 0, 0
while i < n do
  local s = "item-" .. i
  if s:sub(1, 4) == "item" then total = total + #s + #s:sub(3, 5) end
  i = i + 1
end
return total)",
     R"(
let total = 0
let i = 0
while (i < n) {
  const s = "item-" + i
  if (s.startsWith("item")) total = total + s.length + s.slice(2, 5).length
  i = i + 1
}
return total)"},
};

struct Timed {
  double seconds = 0;
  std::string result;
  uint64_t fuel = 0;
};

Timed in_flow(const Program& program) {
  Script script(program.flow);
  flow::FlowGiven given = unlimited();
  auto execution = flow::begin_flow("bench", Value::object({{"n", program.n}}), Value());
  std::vector<flow::Outgoing> out;
  double begin = thread_cpu_seconds();
  auto ran = flow::activate(execution, script.program(), given, out);
  Timed timed;
  timed.seconds = thread_cpu_seconds() - begin;
  if (!ran || execution.end != flow::FlowEnd::completed) {
    std::fprintf(stderr, "bench: %s: %s\n", program.name, execution.error.message.c_str());
    std::exit(1);
  }
  timed.fuel = ran->fuel;
  timed.result = std::to_string(static_cast<long long>(execution.output.as_number()));
  return timed;
}

/// Runs a file and reads the two lines it prints: seconds and result. Nothing when it cannot run.
std::optional<Timed> in_process(const std::string& command) {
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) return std::nullopt;
  Timed timed;
  double result = 0;
  bool read = std::fscanf(pipe, "%lf %lf", &timed.seconds, &result) == 2;
  timed.result = std::to_string(static_cast<long long>(result));
  bool ended = pclose(pipe) == 0;
  if (!read || !ended) return std::nullopt;
  return timed;
}

std::optional<Timed> in_lua(const Program& program, const std::filesystem::path& directory) {
  std::filesystem::path file = directory / (std::string(program.name) + ".lua");
  std::ofstream(file) << "local function bench(n)" << program.lua << "\nend\n"
                      << "local begin = os.clock()\nlocal result = bench(" << program.n << ")\n"
                      << "print(os.clock() - begin, result)\n";
  return in_process("lua5.4 " + file.string());
}

std::optional<Timed> in_node(const Program& program, const std::filesystem::path& directory) {
  std::filesystem::path file = directory / (std::string(program.name) + ".js");
  std::ofstream(file) << "function bench(n) {" << program.script << "\n}\n"
                      << "const begin = process.cpuUsage()\nconst result = bench(" << program.n
                      << ")\nconst used = process.cpuUsage(begin)\n"
                      << "console.log((used.user + used.system) / 1e6, result)\n";
  return in_process("node " + file.string());
}

void keep_best(std::optional<Timed>& best, std::optional<Timed> round) {
  if (round && (!best || round->seconds < best->seconds)) best = std::move(round);
}

}  // namespace

void measure_language() {
  section("(a) the language beside Lua and Node.js, the best of nine rounds in turn");
  std::filesystem::path directory = fresh_directory("language");
  for (const Program& program : programs) {
    std::optional<Timed> flow, lua, node;
    for (int round = 0; round < 9; ++round) {
      keep_best(flow, in_flow(program));
      keep_best(lua, in_lua(program, directory));
      keep_best(node, in_node(program, directory));
    }
    char note[160];
    std::snprintf(note, sizeof note, "%.1f ms; lua5.4 %.1f ms, node %.1f ms", flow->seconds * 1e3,
                  lua ? lua->seconds * 1e3 : 0.0, node ? node->seconds * 1e3 : 0.0);
    report(std::string(program.name) + ", million instructions a second",
           static_cast<double>(flow->fuel) / flow->seconds / 1e6, "M/s", note);
    if (!lua) {
      std::printf("  lua5.4 is not installed; `./dev bench flow` installs it\n");
      continue;
    }
    if (lua->result != flow->result)
      std::printf("  %s: flow says %s and Lua %s\n", program.name, flow->result.c_str(),
                  lua->result.c_str());
    double ratio = flow->seconds / lua->seconds;
    if (program.simple)
      floor_at_most(std::string("(a) ") + program.name + ", times as long as lua5.4", ratio, 3);
    else
      report(std::string(program.name) + ", times as long as lua5.4", ratio, "");
  }
}

}  // namespace fermata::bench
