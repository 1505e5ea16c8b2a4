#include <cstdio>

#include "sim/campaign.h"

int main(int argc, char** argv) {
  using namespace fermata::sim;
  std::string mistake;
  auto options = read_options(argc, argv, mistake);
  if (!options) {
    std::fprintf(stderr, "%s\n%s", mistake.c_str(), usage_text);
    return 2;
  }
  if (options->help) {
    std::printf("%s", usage_text);
    return 0;
  }
  if (options->self_test) return self_test(*options);
  if (options->kept) return replay_kept(*options);
  if (options->seed) return replay(*options);
  return run_campaign(*options);
}
