#include <random>

#include "base/bytes.h"
#include "core/flow/durable/activate.h"
#include "test/flow/script_runs.h"

/// Parked machines that somebody has changed on purpose: the checksum fits, the content does not.
/// Whatever the bytes are, the machine is sound or refused, and the process lives on (F-49).
namespace fermata::test {
namespace {

constexpr const char* parked_scripts[] = {
    "const list = [1, 2, 3].map(x => ({ x }))\nconst twice = { a: list, b: list }\n"
    "twice.self = twice\nlet n = 0\nconst count = () => n++\n"
    "try { for (const one of list) { count(); await Signal.next('go') } }\n"
    "finally { await Signal.next('end') }\nreturn [n, twice.a.length, `${list[0].x}`]",
    "async function work(i) { const r = await Signal.next('go'); return [i, r].concat([i]) }\n"
    "const all = Promise.all([work(1), work(2), Task.delay(3)])\n"
    "const { a = 'x', ...rest } = { b: 1, c: [2] }\nreturn [await all, a, rest]",
    "const names = ['b', 'a', 'c'].sort((x, y) => { const z = x < y ? -1 : 1; return z })\n"
    "const given = names.map(async s => s + await Signal.next('go'))\n"
    "return await Promise.all(given)",
};

std::string changed(std::string bytes, std::mt19937& dice) {
  size_t edits = 1 + dice() % 3;
  for (size_t i = 0; i < edits && bytes.size() > 8; ++i) {
    size_t at = dice() % (bytes.size() - 4);
    switch (dice() % 5) {
      case 0: bytes[at] = static_cast<char>(dice()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice() % 8)); break;
      case 2: bytes.erase(at, 1 + dice() % 4); break;
      case 3: bytes.insert(at, 1 + dice() % 4, static_cast<char>(dice())); break;
      default: bytes[at] = static_cast<char>(0xff); break;
    }
  }
  if (bytes.size() < 5) bytes.resize(5);
  return resealed(std::move(bytes));
}

// F-45, F-49, F-51
TEST(HostileSnapshots, are_refused_or_run_within_their_budgets) {
  std::mt19937 dice(11);
  size_t refused = 0, ran = 0;
  for (const char* source : parked_scripts) {
    ScriptRun parked(define_script(source));
    parked.folds = false;
    parked.start();
    ASSERT_FALSE(parked.run.finished()) << source;
    const flow::Execution whole = *parked.run.script;
    for (int i = 0; i < 4'000; ++i) {
      flow::Execution execution = whole;
      execution.snapshot = changed(whole.snapshot, dice);
      flow::FlowGiven given{Instant{1'770'000'100'000}, 5, {}, nullptr};
      given.limits.fuel = 20'000;
      given.limits.memory_bytes = 4 << 20;
      std::vector<flow::Outgoing> out;
      (void)flow::take(execution, flow::ReceiveSignal{"go", Value(1)}, given, out);
      for (int turns = 0; turns < 50 && flow::wants_activation(execution); ++turns) {
        auto activated = flow::activate(execution, parked.run.definition->program, given, out);
        if (!activated) {
          ++refused;
          break;
        }
        ++ran;
      }
    }
  }
  // Both happen, or this would show nothing.
  EXPECT_GT(refused, 1'000u);
  EXPECT_GT(ran, 100u);
}

}  // namespace
}  // namespace fermata::test
