#include "server/routes/run_sieve.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"

namespace fermata::server::routes {
namespace {

using front::NamedValues;

/// Runs that one page may look at in vain.
constexpr size_t passed_over_max = 10'000;
constexpr std::string_view names[] = {"version",   "error_code", "node",
                                      "wait_kind", "retrying",   "attention"};
constexpr std::string_view kinds[] = {
    "timer", "call",  "retry",      "signal", "job",     "child",        "approval",
    "wait",  "merge", "aggregator", "paused", "undo",    "undo_stopped", "failed",
    "fiber", "all",   "any",        "race",   "settled", "unreadable",   "on_bus"};

template <class Names>
bool is_among(std::string_view name, const Names& list) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

std::optional<uint32_t> number_in(std::string_view text) {
  uint32_t number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = code == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

Outcome<void> read_one(const std::string& name, const std::string& value, RunSieve& sieve) {
  if (value.empty())
    return front::bad_query(name, "A value is needed; leave the filter out otherwise.");
  if (name == "error_code") sieve.error_code = value;
  if (name == "node") sieve.at.node = value;
  if (name == "version") {
    sieve.version = number_in(value);
    if (!sieve.version) return front::bad_query(name, "A version is a whole number.");
  }
  if (name == "wait_kind") {
    if (!is_among(value, kinds))
      return front::bad_query(name, "`" + value + "` is not what an execution can wait for.");
    sieve.at.kind = value;
  }
  if (name == "retrying" && value != "false") {
    auto attempts = value == "true" ? std::optional<uint32_t>(1) : number_in(value);
    if (!attempts || *attempts == 0)
      return front::bad_query(name, "true, or so many failed attempts at least, is expected.");
    sieve.at.attempts = *attempts;
  }
  if (name == "attention") {
    if (value != "true" && value != "false")
      return front::bad_query(name, "true or false is expected.");
    sieve.at.attention = value == "true";
  }
  return {};
}

bool passes(const RunSieve& sieve, const RunSummary& run) {
  if (sieve.version && run.workflow_version != *sieve.version) return false;
  return sieve.error_code.empty() || run.error_code == sieve.error_code;
}

/// Each order has cursors of its own.
std::string_view lead_of(RunOrder order) {
  return order == RunOrder::newest_first ? "at." : "up.at.";
}

std::string cursor_of(const Whereabouts::Key& key, RunOrder order) {
  return std::string(lead_of(order)) + std::to_string(key.started.ms) + "." + key.run;
}

Outcome<std::optional<Whereabouts::Key>> key_of(const std::string& cursor, RunOrder order) {
  if (cursor.empty()) return std::optional<Whereabouts::Key>();
  std::string_view lead = lead_of(order);
  size_t dot = cursor.find('.', lead.size());
  int64_t ms = 0;
  bool right = cursor.starts_with(lead) && dot != std::string::npos;
  if (right) {
    auto [end, code] = std::from_chars(cursor.data() + lead.size(), cursor.data() + dot, ms);
    right = code == std::errc() && end == cursor.data() + dot;
  }
  if (!right) return front::bad_query("cursor", "This is not a cursor of such a list.");
  return std::optional(Whereabouts::Key{Instant{ms}, cursor.substr(dot + 1)});
}

/// What the engine could not read: the row tells whose it is, unless it is what cannot be read.
/// Gives what nobody can tell more of.
std::vector<Error> look_at_doubts(Api& api) {
  Whereabouts& whereabouts = api.hub().whereabouts();
  std::vector<Error> damages = whereabouts.damages();
  for (const auto& [run, at] : whereabouts.doubts()) {
    auto summary = api.reader().summary(run);
    if (!summary) {
      damages.push_back(std::move(summary).error());
      continue;
    }
    if (*summary && !is_terminal((*summary)->status)) whereabouts.unreadable(**summary, at);
    whereabouts.settle_doubt(run);
  }
  return damages;
}

/// Those that stand at such a place are known; their rows say the rest.
Outcome<SievedPage> by_place(Api& api, const RunFilter& filter, const RunSieve& sieve, size_t limit,
                             const std::string& cursor, RunOrder order) {
  SievedPage out;
  FERMATA_TRY(last, key_of(cursor, order));
  bool unreadable = sieve.at.kind == "unreadable";
  if (unreadable || sieve.at.attention) {
    auto damages = look_at_doubts(api);
    if (unreadable) out.page.damages = std::move(damages);
  }
  size_t looked_at = 0;
  for (bool more = true; more && out.page.items.size() < limit && looked_at < passed_over_max;) {
    size_t wanted = limit - out.page.items.size();
    auto found =
        api.hub().whereabouts().find(filter.account, sieve.at, last, api.now(), wanted, order);
    out.all = out.all && found.all;
    more = found.more;
    looked_at += found.runs.size();
    for (Whereabouts::Key& key : found.runs) {
      FERMATA_TRY(summary, api.reader().summary(RunId(key.run)));
      if (summary && matches(filter, *summary) && passes(sieve, *summary))
        out.page.items.push_back(*std::move(summary));
      last = std::move(key);
    }
    out.page.next_cursor = more ? cursor_of(*last, order) : std::string();
  }
  return out;
}

/// Page after page, until another one might be too much.
Outcome<SievedPage> by_row(Api& api, const RunFilter& filter, const RunSieve& sieve, size_t limit,
                           const std::string& cursor, RunOrder order) {
  SievedPage out;
  out.page.next_cursor = cursor;
  size_t looked_at = 0;
  do {
    FERMATA_TRY(rows, api.reader().list(filter, limit, out.page.next_cursor, order));
    std::erase_if(rows.items, [&](const RunSummary& run) { return !passes(sieve, run); });
    bool fits = out.page.items.size() + rows.items.size() <= limit;
    if (!fits) break;
    std::move(rows.items.begin(), rows.items.end(), std::back_inserter(out.page.items));
    std::move(rows.damages.begin(), rows.damages.end(), std::back_inserter(out.page.damages));
    out.page.next_cursor = std::move(rows.next_cursor);
    looked_at += limit;
  } while (!out.page.next_cursor.empty() && out.page.items.size() < limit &&
           looked_at < passed_over_max);
  return out;
}

}  // namespace

Outcome<RunSieve> read_run_sieve(const NamedValues& query) {
  RunSieve sieve;
  for (const auto& [name, value] : query)
    if (is_among(name, names)) FERMATA_TRY_VOID(read_one(name, value, sieve));
  return sieve;
}

Outcome<RunSieve> take_run_sieve(Value& filter) {
  NamedValues taken;
  Value rest = Value::object();
  for (const Value::Member& member : filter.members()) {
    std::string_view name = member.key.as_string();
    if (!is_among(name, names)) {
      rest.set(name, member.value);
    } else if (member.value.is_string()) {
      taken.emplace_back(name, member.value.as_string());
    } else {
      // A number or true says the same as its text.
      taken.emplace_back(name, to_json(member.value));
    }
  }
  filter = std::move(rest);
  return read_run_sieve(taken);
}

Outcome<SievedPage> list_runs(Api& api, const RunFilter& filter, const RunSieve& sieve,
                              size_t limit, const std::string& cursor, RunOrder order) {
  if (!sieve.at.none()) return by_place(api, filter, sieve, limit, cursor, order);
  if (!sieve.none()) return by_row(api, filter, sieve, limit, cursor, order);
  FERMATA_TRY(page, api.reader().list(filter, limit, cursor, order));
  return SievedPage{std::move(page), true};
}

}  // namespace fermata::server::routes
