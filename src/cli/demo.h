#pragma once
#include "cli/engine.h"

namespace fermata::cli {

/// The demo of `./dev run`: a workflow stored and a run of it, fresh or left by an earlier life of
/// the server.
struct Demo {
  RunId run;
  bool continued = false;  ///< it was under way already
};

/// Stores the graph as workflow `demo` and starts it with `{"server": base_url}` as input, unless a
/// run of it is still under way. The host's thread must be running. Fails with invalid_definition
/// or what the store says.
Outcome<Demo> begin_demo(Engine& engine, const Settings& settings, const std::string& base_url);

/// Three things to try, printed below each other.
std::string demo_text(const Demo& demo, const Settings& settings, const std::string& base_url,
                      const std::string& program, int process_id);

}  // namespace fermata::cli
