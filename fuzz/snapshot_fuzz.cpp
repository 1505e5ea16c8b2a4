#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "core/flow/durable/activate.h"
#include "core/flow/script.h"
#include "core/run/script_definition.h"

/// A parked machine that was changed on purpose, its checksum made to fit, is sound or refused and
/// never a crash. The input is a list of edits: where (two bytes) and what.
namespace {

using namespace fermata;

constexpr std::array<const char*, 3> sources = {
    "const list = [1, 2].map(x => ({ x }))\nconst o = { a: list, b: list }\no.self = o\nlet n = 0\n"
    "const f = () => n++\ntry { for (const x of list) { f(); await Signal.next('go') } }\n"
    "finally { await Signal.next('end') }\nreturn [n, o.a.length, `${list[0].x}`]",
    "async function w(i) { return [i, await Signal.next('go')] }\n"
    "return await Promise.all([w(1), w(2), Task.delay(3)])",
    "const e = Error('x', { code: 'A' })\nconst { a = 'x', ...r } = { b: 1 }\n"
    "switch (await Signal.next('go')) { case 1: return [a, r, e]; default: throw e }",
};

struct Parked {
  graph::DefinitionRef definition;
  flow::Execution execution;
};

flow::FlowGiven given() {
  flow::FlowGiven out{Instant{1'770'000'000'000}, 5, {}, nullptr};
  out.limits.fuel = 20'000;
  out.limits.memory_bytes = 4 << 20;
  return out;
}

Parked park(const char* source) {
  Parked out;
  out.definition =
      make_script_definition(flow::make_definition(flow::check_script(source, {.name = "f"})));
  out.execution = flow::begin_flow("r", Value::object(), Value::object());
  std::vector<flow::Outgoing> asks;
  (void)flow::activate(out.execution, out.definition->program, given(), asks);
  return out;
}

std::string edited(std::string bytes, const uint8_t* data, size_t size) {
  bytes.resize(bytes.size() - 4);
  for (size_t i = 0; i + 2 < size; i += 3) {
    size_t at = (size_t{data[i]} << 8 | data[i + 1]) % (bytes.size() + 1);
    if (at == bytes.size())
      bytes += static_cast<char>(data[i + 2]);
    else
      bytes[at] = static_cast<char>(data[i + 2]);
  }
  uint32_t sum = crc32c(bytes);
  for (size_t i = 0; i < 4; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::array<Parked, 3> parked = {park(sources[0]), park(sources[1]),
                                               park(sources[2])};
  if (size == 0) return 0;
  const Parked& one = parked[data[0] % parked.size()];
  flow::Execution execution = one.execution;
  execution.snapshot = edited(execution.snapshot, data + 1, size - 1);
  std::vector<flow::Outgoing> asks;
  (void)flow::take(execution, flow::ReceiveSignal{"go", Value(1)}, given(), asks);
  for (int turns = 0; turns < 50 && flow::wants_activation(execution); ++turns)
    if (!flow::activate(execution, one.definition->program, given(), asks)) break;
  return 0;
}
