#include <map>

#include "core/run/restart.h"
#include "front/fields.h"
#include "server/routes/bulk_execution.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> migration_plan_of(Api& api, const AccountId& account, const ExecutionAction& action,
                                 const std::string& id) {
  FERMATA_TRY(run, api.reader().find(RunId(id)));
  if (run.version == 0 || run.summary.account != account)
    return fail(ErrorCode::execution_not_found, "There is no execution `" + id + "`.");
  auto version = static_cast<uint32_t>(action.parameters.get("version").as_integer());
  FERMATA_TRY(target, migration_target(api, run.summary, version, action.parameters.get("map")));
  FERMATA_TRY(definitions, definitions_of(api, run.summary));
  return restart::migration_plan({run.summary, run.history, definitions}, target);
}

/// A map can help only where places are missing; those are named one by one.
std::string_view fit_of(const Error& error) {
  bool fits_not =
      error.code == ErrorCode::migration_refused || error.code == ErrorCode::not_migratable;
  bool places = fits_not && !error.findings.empty();
  return places ? "needs_map" : "cannot";
}

Value fit_value(const std::string& id, const Outcome<Value>& plan) {
  if (plan) {
    Value one = Value::object({{"id", id}, {"fit", "clean"}});
    const Value& warnings = plan->get("warnings");
    if (warnings.size() > 0) one.set("warnings", warnings);
    return one;
  }
  const Error& error = plan.error();
  return Value::object({{"id", id},
                        {"fit", fit_of(error)},
                        {"code", name_of(error.code)},
                        {"detail", error.message},
                        {"errors", front::to_value(error.findings)}});
}

/// What would have failed for any other reason than the run and the version says nothing of them.
bool is_about_the_run(ErrorCode code) {
  return code == ErrorCode::migration_refused || code == ErrorCode::not_migratable ||
         code == ErrorCode::run_finished || code == ErrorCode::version_not_found ||
         code == ErrorCode::workflow_not_found || code == ErrorCode::execution_not_found;
}

}  // namespace

Outcome<void> tell_fits(Api& api, const AccountId& account, const ExecutionAction& action,
                        const std::vector<std::string>& ids, Value& told) {
  std::map<std::string, uint64_t> counts{{"clean", 0}, {"needs_map", 0}, {"cannot", 0}};
  Value runs = Value::array();
  for (const std::string& id : ids) {
    if (runs.size() == migration_looks_max) break;
    auto plan = migration_plan_of(api, account, action, id);
    if (!plan && !is_about_the_run(plan.error().code)) return Failure{std::move(plan).error()};
    Value one = fit_value(id, plan);
    ++counts[std::string(one.get("fit").as_string())];
    runs.push(std::move(one));
  }
  Value fits = Value::object();
  for (const auto& [fit, count] : counts) fits.set(fit, count);
  told.set("runs_more", ids.size() > runs.size());
  told.set("fits", std::move(fits));
  told.set("runs", std::move(runs));
  return {};
}

}  // namespace fermata::server::routes
