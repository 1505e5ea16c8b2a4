#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

struct Chain {
  uint64_t lines = 0;
  uint64_t first = 0;
  uint64_t last = 0;
  std::optional<uint64_t> broken_at;
};

/// Newest first: each line must hash to what it says, and say of the one before what that one says
/// of itself. What retention has removed before the oldest line cannot be looked at any more.
Outcome<Chain> chain_of(Api& api, const AccountId& account) {
  Chain chain;
  AuditFilter filter{.account = account};
  std::string cursor;
  std::string wanted;
  do {
    FERMATA_TRY(page, api.reader().audit(filter, front::page_limit_max, cursor));
    for (const AuditEntry& entry : page.items) {
      bool gap = chain.lines > 0 && entry.sequence + 1 != chain.first;
      bool whole = entry.hash == audit_hash(entry.prev_hash, entry.sequence, entry.line) &&
                   (wanted.empty() || entry.hash == wanted) && !gap;
      if (!whole) chain.broken_at = entry.sequence;
      if (chain.lines++ == 0) chain.last = entry.sequence;
      chain.first = entry.sequence;
      wanted = entry.prev_hash;
    }
    cursor = page.next_cursor;
  } while (!cursor.empty());
  if (chain.first == 1 && wanted != audit_hash_start()) chain.broken_at = 1;
  return chain;
}

}  // namespace

void verify_audit(Api& api, Call call) {
  auto chain = chain_of(api, call.who.account);
  if (!chain) return api.fail(call, chain.error());
  call.send_json(
      200, Value::object({{"unbroken", !chain->broken_at},
                          {"lines", chain->lines},
                          {"first", chain->first},
                          {"last", chain->last},
                          {"broken_at", chain->broken_at ? Value(*chain->broken_at) : Value()}}));
}

}  // namespace fermata::server::routes
