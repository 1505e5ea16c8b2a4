#include <atomic>
#include <chrono>
#include <thread>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/identity.h"
#include "adapters/postgres/lead.h"
#include "adapters/postgres/moving_things.h"
#include "adapters/postgres/opening.h"
#include "adapters/postgres/schema.h"
#include "adapters/postgres/server_check.h"
#include "adapters/postgres/socket_cut.h"

/// How the schema is filled from another store.
namespace fermata {
namespace {

using postgres::Arguments;
using postgres::Column;
using postgres::Connection;
using postgres::MovedPart;
using postgres::MovedRows;
using postgres::MovedTable;
using postgres::order;
using postgres::RowSum;
using postgres::RowSums;
using postgres::Type;

/// Of rows that are sent in one statement.
constexpr size_t sent_rows_max = 1'000;
constexpr size_t sent_bytes_max = 4 << 20;
constexpr size_t sent_keys_max = 1'000;
constexpr auto lead_pause = std::chrono::milliseconds(100);

/// Tables with numbers of their own: the next one follows what was moved.
constexpr const char* numbered_tables[] = {
    "saved_views",      "approvals", "deliveries", "signals",  "signal_effects",
    "dead_letters",     "job_logs",  "bulks",      "policies", "policy_versions",
    "policy_decisions", "outbox",    "audit"};

class PostgresTarget final : public transfer::Target {
 public:
  explicit PostgresTarget(PostgresOptions options)
      : options_(std::move(options)),
        server_(postgres::server_of(options_)),
        connection_(server_),
        lead_(server_, {options_.holder.empty() ? "fermata promote" : options_.holder,
                        options_.lease, [](uint64_t) {}, [this](const Error&) { lost_ = true; }}) {}

  Outcome<void> open() {
    FERMATA_TRY_VOID(postgres::reach(connection_, options_.reach_for));
    FERMATA_TRY_VOID(postgres::check_server(connection_, options_.allow_unsafe));
    FERMATA_TRY_VOID(postgres::migrate(connection_, options_.schema));
    FERMATA_TRY_VOID(
        postgres::expect_own_system(connection_, options_.schema, options_.accept_other));
    // Sums go over whole tables.
    return script("set statement_timeout = 0; set enable_seqscan = on");
  }

  Outcome<State> state(const std::string& token) override {
    FERMATA_TRY(noted, postgres::setting_of(connection_, "promotion"));
    if (!noted || *noted != token) return State::none;
    FERMATA_TRY(ready, postgres::setting_of(connection_, "promotion_ready"));
    return ready ? State::ready : State::copying;
  }

  Outcome<void> begin(const std::string& token, const std::string& from) override {
    FERMATA_TRY_VOID(take_lead(token));
    FERMATA_TRY(noted, postgres::setting_of(connection_, "promotion"));
    if (!noted) FERMATA_TRY_VOID(expect_empty());
    if (noted && *noted != token) return postgres::refuse_unfinished(connection_, options_.schema);
    FERMATA_TRY_VOID(script("begin; delete from settings where name = 'promotion_ready'"));
    FERMATA_TRY_VOID(postgres::put_setting(connection_, "promotion", token));
    FERMATA_TRY_VOID(postgres::put_setting(connection_, "promotion_from", from));
    std::string all = "audit_heads, audit_tail";
    for (const MovedTable& table : postgres::moved_tables()) (all += ", ") += table.name;
    FERMATA_TRY_VOID(script("truncate " + all + "; commit"));
    // What is written is made durable by the last write of all, which waits for it.
    return script("set synchronous_commit = off");
  }

  Outcome<void> remove(std::span<const transfer::Key> keys) override {
    return each_part(keys, [&](const MovedPart& part, const Arguments& named) {
      return order(connection_, "removing what has changed",
                   std::string("delete from ") + part.table + " t where " + part.where, named);
    });
  }

  Outcome<void> put(const transfer::Item& item) override {
    rows_.add(item);
    for (auto& [name, rows] : rows_.tables())
      if (rows.size() >= sent_rows_max || rows.byte_count() >= sent_bytes_max)
        FERMATA_TRY_VOID(send(rows));
    return {};
  }

  Outcome<void> flush() override {
    for (auto& [name, rows] : rows_.tables())
      if (rows.size() > 0) FERMATA_TRY_VOID(send(rows));
    return {};
  }

  void begin_sum() override { expected_.clear(); }

  Outcome<void> expect(const transfer::Item& item) override {
    rows_.add(item);
    for (auto& [name, rows] : rows_.tables()) {
      if (rows.size() == 0) continue;
      rows.sum(expected_);
      rows.clear();
    }
    return {};
  }

  Outcome<void> compare_all() override {
    RowSums found;
    for (const MovedTable& table : postgres::moved_tables())
      FERMATA_TRY_VOID(add_sums(table, "", {}, found));
    return compare_with(found);
  }

  Outcome<void> compare(std::span<const transfer::Key> keys) override {
    RowSums found;
    FERMATA_TRY_VOID(each_part(keys, [&](const MovedPart& part, const Arguments& named) {
      return add_sums(postgres::moved_table(part.table), part.where, named, found);
    }));
    return compare_with(found);
  }

  void end_within(int64_t ms) override { cut_.end_within(ms, connection_.socket()); }

  Outcome<void> ready() override {
    if (lost_) return fail(ErrorCode::store_unavailable, "another process uses the schema");
    FERMATA_TRY_VOID(script("reset synchronous_commit; begin"));
    for (const auto& [account, head] : rows_.heads()) {
      Arguments put;
      put.text(account).number(head.sequence).text(head.hash);
      FERMATA_TRY_VOID(order(connection_, "writing the heads of audit",
                             "insert into audit_heads (account, sequence, hash) values ($1, $2, "
                             "$3) on conflict (account) do update set sequence = "
                             "excluded.sequence, hash = excluded.hash",
                             put));
    }
    std::string sql =
        "insert into documents values ('policy', 0, null), ('pools', 0, null) on conflict do "
        "nothing; select setval('root_numbers', coalesce(max(number), 0) + 1, false) from roots;";
    for (const char* table : numbered_tables)
      sql += std::string("select setval(pg_get_serial_sequence('") + table +
             "', 'number'), coalesce(max(number), 0) + 1, false) from " + table + ";";
    FERMATA_TRY_VOID(script(sql));
    FERMATA_TRY_VOID(postgres::put_setting(connection_, "promotion_ready", "yes"));
    return script("commit");
  }

  Outcome<void> finish(const std::string& token) override {
    FERMATA_TRY(now, state(token));
    if (now == State::none) return {};
    if (now != State::ready)
      return fail(ErrorCode::data_damaged, "what was moved here is not whole");
    FERMATA_TRY_VOID(take_lead(token));
    return script(
        "reset synchronous_commit; delete from settings where name in ('promotion', "
        "'promotion_from', 'promotion_ready')");
  }

 private:
  /// A try of the same move that was cut off still holds it for as long as its lease.
  Outcome<void> take_lead(const std::string& token) {
    FERMATA_TRY(before, state(token));
    using Clock = std::chrono::steady_clock;
    Clock::time_point until = Clock::now();
    if (before != State::none) until += std::chrono::milliseconds(2 * options_.lease.ms);
    for (;;) {
      FERMATA_TRY(taken, lead_.take());
      if (taken) return {};
      if (Clock::now() >= until) break;
      std::this_thread::sleep_for(lead_pause);
    }
    FERMATA_TRY(holder, lead_.holder());
    return fail(ErrorCode::store_unavailable, "schema `" + options_.schema + "` is used by " +
                                                  holder + ": stop it, or name another schema");
  }

  Outcome<void> script(const std::string& sql) {
    postgres::Reply reply = connection_.script(sql);
    if (reply.trouble == postgres::Trouble::none) return {};
    return connection_.failure("moving a store", reply);
  }

  Outcome<void> expect_empty() {
    for (const MovedTable& table : postgres::moved_tables()) {
      if (table.name == std::string_view("documents")) continue;
      FERMATA_TRY(found, connection_.ask("looking what is there",
                                         std::string("select 1 from ") + table.name + " limit 1"));
      if (found.count() > 0)
        return fail(ErrorCode::data_locked, "schema `" + options_.schema +
                                                "` holds a store already; name another one with "
                                                "--postgres-schema, or drop it");
    }
    return {};
  }

  Outcome<void> send(MovedRows& rows) {
    if (lost_) return fail(ErrorCode::store_unavailable, "another process uses the schema");
    rows.sum(expected_);
    Outcome<void> sent = order(connection_, std::string("writing ") + rows.table().name,
                               rows.insert_sql(), rows.arguments());
    rows.clear();
    return sent;
  }

  /// Calls for every part of the kinds among the keys, a number of keys at a time.
  template <class Use>
  Outcome<void> each_part(std::span<const transfer::Key> keys, Use use) {
    for (size_t at = 0; at < keys.size();) {
      transfer::Kind kind = keys[at].kind;
      std::vector<Column> named;
      size_t from = at;
      for (; at < keys.size() && keys[at].kind == kind && at - from < sent_keys_max; ++at) {
        if (named.empty()) named.assign(keys[at].parts.size(), Column(Type::text));
        for (size_t i = 0; i < named.size(); ++i)
          named[i].add(postgres::readable(keys[at].parts[i]));
      }
      Arguments arguments;
      for (const Column& column : named) arguments.array(column);
      for (const MovedPart& part : postgres::moved_parts(kind))
        FERMATA_TRY_VOID(use(part, arguments));
    }
    return {};
  }

  Outcome<void> add_sums(const MovedTable& table, std::string_view where, const Arguments& named,
                         RowSums& found) {
    FERMATA_TRY(rows, connection_.ask(std::string("summing up ") + table.name,
                                      postgres::sum_sql(table, where), named));
    while (rows.next()) {
      RowSum& sum = found[{table.name, static_cast<int>(rows.integer(0))}];
      sum.rows += rows.natural(1);
      unsigned __int128 hashes = 0;
      for (char c : rows.text(2)) hashes = hashes * 10 + static_cast<unsigned>(c - '0');
      sum.hashes += hashes;
    }
    return {};
  }

  Outcome<void> compare_with(const RowSums& found) const {
    for (const auto* all : {&found, &expected_})
      for (const auto& [place, ignored] : *all) {
        auto there = found.find(place), wanted = expected_.find(place);
        RowSum has = there == found.end() ? RowSum{} : there->second;
        RowSum should = wanted == expected_.end() ? RowSum{} : wanted->second;
        if (has == should) continue;
        return fail(ErrorCode::data_damaged,
                    "table " + place.first + ", shard " + std::to_string(place.second) + ": " +
                        std::to_string(should.rows) + " rows with digest " +
                        postgres::decimal(should.hashes) + " were to be moved, " +
                        std::to_string(has.rows) + " with " + postgres::decimal(has.hashes) +
                        " are there");
      }
    return {};
  }

  const PostgresOptions options_;
  const postgres::Server server_;
  Connection connection_;
  std::atomic<bool> lost_ = false;
  postgres::Lead lead_;
  postgres::ThingRows rows_;
  postgres::SocketCut cut_;
  RowSums expected_;
};

}  // namespace

Outcome<std::unique_ptr<transfer::Target>> open_postgres_target(PostgresOptions options) {
  auto target = std::make_unique<PostgresTarget>(std::move(options));
  FERMATA_TRY_VOID(target->open());
  return std::unique_ptr<transfer::Target>(std::move(target));
}

}  // namespace fermata
