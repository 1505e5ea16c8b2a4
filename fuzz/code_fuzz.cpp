#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "core/flow/code_bytes.h"
#include "core/flow/durable/activate.h"
#include "core/flow/script.h"

/// Stored code that was changed on purpose, its checksum made to fit, is refused or safe to run.
/// The input is a list of edits: where (two bytes) and what.
namespace {

using namespace fermata;

constexpr std::array<const char*, 2> sources = {
    "const list = [3, 1, 2].map(x => ({ x }))\nlet n = 0\nconst f = () => n++\n"
    "try { for (const { x = 1, ...r } of list) { f(); await Signal.next('go') } }\n"
    "catch (e) { return [e.code, `${n}`] }\nfinally { n += list.sort((a, b) => a.x - b.x).length }",
    "async function w(i, ...more) { return [i, await Signal.next('go'), more, Inputs?.a] }\n"
    "switch (1) { case 1: return await Promise.all([w(1), w(...[2, 3])]); default: throw 1 }",
};

flow::FlowGiven given() {
  flow::FlowGiven out{Instant{1'770'000'000'000}, 5, {}, nullptr};
  out.limits.fuel = 20'000;
  out.limits.memory_bytes = 4 << 20;
  return out;
}

std::string edited(std::string bytes, const uint8_t* data, size_t size) {
  bytes.resize(bytes.size() - 4);
  for (size_t i = 0; i + 2 < size; i += 3) {
    size_t at = (size_t{data[i]} << 8 | data[i + 1]) % bytes.size();
    bytes[at] = static_cast<char>(data[i + 2]);
  }
  uint32_t sum = crc32c(bytes);
  for (size_t i = 0; i < 4; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::array<std::string, 2> codes = {
      flow::encode_code(flow::check_script(sources[0]).program),
      flow::encode_code(flow::check_script(sources[1]).program)};
  if (size == 0) return 0;
  size_t which = data[0] % sources.size();
  auto script = flow::decode_code(edited(codes[which], data + 1, size - 1), sources[which]);
  if (!script) return 0;
  flow::Execution execution = flow::begin_flow("r", Value::object(), Value::object());
  std::vector<flow::Outgoing> asks;
  for (int turns = 0; turns < 20; ++turns) {
    for (int i = 0; i < 5 && flow::wants_activation(execution); ++i)
      if (!flow::activate(execution, *script, given(), asks)) return 0;
    if (execution.ended()) return 0;
    (void)flow::take(execution, flow::ReceiveSignal{"go", Value(1)}, given(), asks);
  }
  return 0;
}
