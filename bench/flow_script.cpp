#include <cstdio>
#include <cstdlib>

#include "bench/engine.h"
#include "bench/flow.h"
#include "core/flow/script.h"

namespace fermata::bench {

Script::Script(std::string_view source) {
  flow::CheckedScript checked = flow::check_script(source);
  if (!checked.errors.empty()) {
    std::fprintf(stderr, "bench: a script has a mistake: %s\n",
                 checked.errors.front().message.c_str());
    std::exit(1);
  }
  definition_ = make_script_definition(flow::make_definition(std::move(checked)));
}

flow::FlowGiven unlimited() {
  flow::FlowGiven given;
  given.now = Instant{1'772'359'200'000};
  given.limits.fuel = uint64_t{1} << 50;
  given.limits.slice = uint64_t{1} << 50;
  given.limits.memory_bytes = uint64_t{1} << 32;
  return given;
}

}  // namespace fermata::bench
