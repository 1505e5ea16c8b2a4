#pragma once
#include <functional>

#include "core/run/restart.h"
#include "server/routes/common.h"

namespace fermata::server::routes {

/// A new run made from an old one (G-96): `make` gives its first state, `kind` is retry, rerun or
/// fork. With `?dry_run=true` (or `dry_run` in the body) only the plan is answered.
using MakeSeed = std::function<Outcome<restart::Seed>(const restart::Source&)>;
void restart_execution(Api& api, Call call, std::string kind, const MakeSeed& make,
                       bool dry_run = false);

/// The command that starts such a run.
StartRun restart_command(const RunSummary& source, std::string kind,
                         std::shared_ptr<const Run> state);

}  // namespace fermata::server::routes
