#include <cstdio>
#include <cstring>
#include <string>

#include "adapters/system/memory.h"
#include "bench/engine.h"

/// `fermata_bench [core] [--only LETTERS] [--enforce]`: measures in one run, on one disk, and
/// prints ratios to the machine's own limit. With --enforce a missed floor is exit code 1.
int main(int argc, char** argv) {
  using namespace fermata::bench;
  fermata::keep_freed_memory();
  std::string only = "abcdefgh";
  bool enforce = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--enforce") {
      enforce = true;
    } else if (word == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else if (word != "core") {
      std::fprintf(stderr, "usage: fermata_bench [core] [--only abcdefgh] [--enforce]\n");
      return 2;
    }
  }
  auto wanted = [&](char letter) { return only.find(letter) != std::string::npos; };
  Limits limits;
  if (wanted('a') || wanted('b') || wanted('d')) limits = measure_limits();
  if (wanted('b')) measure_transitions(limits);
  if (wanted('c')) measure_runs(limits);
  if (wanted('d')) measure_latency(limits);
  if (wanted('e')) measure_timers();
  if (wanted('f')) measure_split();
  if (wanted('g')) measure_restart();
  if (wanted('h')) measure_long_history();
  std::printf("\n%d floors missed\n", floors_missed());
  return enforce && floors_missed() > 0 ? 1 : 0;
}
