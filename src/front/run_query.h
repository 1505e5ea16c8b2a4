#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ports/reader.h"

namespace fermata::front {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// Which runs: `status` (also a comma list, or repeated), `workflow_id`, `label` (`key` or
/// `key:value`), `contact_id`, `parent`, `from`, `to`, `q`. Other names are left alone. Fails with
/// `invalid_query`, one finding for every bad parameter.
Outcome<RunFilter> read_run_filter(const NamedValues& query, const AccountId& account);

/// The same from the JSON object of a bulk request, where other names are refused.
Outcome<RunFilter> read_run_filter(const Value& filter, const AccountId& account);

/// `sort`: `started_at` for the oldest first, `-started_at` (also when absent) for the newest.
Outcome<RunOrder> read_run_order(const NamedValues& query);

/// `action`, `subject`, `actor`, `from`, `to`.
Outcome<AuditFilter> read_audit_filter(const NamedValues& query, const AccountId& account);

struct Paging {
  size_t limit = 50;
  std::string cursor;
  /// The other form: so many are passed over, and `total` is told. Lists that have it take
  /// one form or the other.
  std::optional<size_t> offset;
};
constexpr size_t page_limit_max = 1000;
/// Passing over more than this would cost more than a reader expects; cursors go on for ever.
constexpr size_t page_offset_max = 100'000;
Outcome<Paging> read_paging(const NamedValues& query);

/// A whole number in a query; nothing when absent.
Outcome<std::optional<uint64_t>> read_number(const NamedValues& query, std::string_view name);
/// true, false, 1, 0 or empty (`?dry_run`); false when absent.
Outcome<bool> read_flag(const NamedValues& query, std::string_view name);
const std::string* find_value(const NamedValues& query, std::string_view name);
Failure<Error> bad_query(std::string_view name, std::string message);

}  // namespace fermata::front
