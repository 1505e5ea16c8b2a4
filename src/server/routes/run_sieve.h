#pragma once
#include <optional>
#include <string>

#include "front/run_query.h"
#include "server/api.h"

namespace fermata::server::routes {

/// What a list of runs may be narrowed by beside its filter (U-22): fields that stores do not look
/// for, and where runs stand (server/whereabouts.h).
struct RunSieve {
  std::optional<uint32_t> version{};
  std::string error_code{};
  Whereabouts::Wanted at{};
  bool none() const { return !version && error_code.empty() && at.none(); }
};

/// `version`, `error_code`, `node`, `wait_kind`, `retrying` (true, or so many attempts at least)
/// and `attention`; other names are left alone.
Outcome<RunSieve> read_run_sieve(const front::NamedValues& query);
/// The same from the filter of a bulk request; `filter` is left with what a RunFilter has.
Outcome<RunSieve> take_run_sieve(Value& filter);

struct SievedPage {
  RunPage page;
  bool all = true;  ///< nothing is left out: the server knows where every run stands
};
/// One page of what passes both. It may be shorter than `limit` where much has been looked at in
/// vain; its cursor goes on from there.
Outcome<SievedPage> list_runs(Api& api, const RunFilter& filter, const RunSieve& sieve,
                              size_t limit, const std::string& cursor,
                              RunOrder order = RunOrder::newest_first);

}  // namespace fermata::server::routes
