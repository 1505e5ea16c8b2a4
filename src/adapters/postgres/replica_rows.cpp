#include "adapters/postgres/replica_rows.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "adapters/postgres/asking.h"

namespace fermata::postgres {
namespace {

constexpr size_t skew_samples = 5;
const std::string living = "seen_at > now() - " + std::to_string(replica_silence.ms) +
                           "::bigint * interval '1 millisecond'";

}  // namespace

Outcome<void> touch_replica(Connection& connection, const Replica& self) {
  Arguments said;
  said.text(self.id).text(readable(self.name)).text(self.version).text(self.formats);
  said.text(self.role).text(self.settings);
  self.skew_ms ? said.number(*self.skew_ms) : said.none(Type::number);
  return order(
      connection, "telling that this process lives",
      "insert into replicas (id, name, version, formats, role, settings, skew_ms, seen_at) "
      "values ($1, $2, $3, $4, $5, $6, $7, now()) on conflict (id) do update set name = "
      "excluded.name, version = excluded.version, formats = excluded.formats, role = "
      "excluded.role, settings = excluded.settings, skew_ms = excluded.skew_ms, seen_at = "
      "excluded.seen_at",
      said);
}

Outcome<void> forget_replica(Connection& connection, const std::string& id) {
  Arguments said;
  said.text(id);
  return order(connection, "telling that this process ends", "delete from replicas where id = $1",
               said);
}

Outcome<std::vector<Replica>> list_replicas(Connection& connection) {
  static const std::string sql =
      "select id, name, version, formats, role, settings, skew_ms, "
      "(extract(epoch from started_at) * 1000)::bigint, (extract(epoch from seen_at) * "
      "1000)::bigint, " +
      living + " as lives from replicas where seen_at > now() - interval '1 day' order by lives " +
      "desc, role desc, started_at, id limit 1000";
  FERMATA_TRY(rows, connection.ask("looking for other servers", sql));
  std::vector<Replica> out;
  while (rows.next()) {
    Replica one;
    one.id = rows.text(0);
    one.name = rows.text(1);
    one.version = rows.text(2);
    one.formats = rows.text(3);
    one.role = rows.text(4);
    one.settings = rows.text(5);
    if (!rows.is_null(6)) one.skew_ms = rows.integer(6);
    one.started_at = Instant{rows.integer(7)};
    one.seen_at = Instant{rows.integer(8)};
    one.lives = rows.flag(9);
    out.push_back(std::move(one));
  }
  return out;
}

Outcome<std::set<std::string>> living_replicas(Connection& connection) {
  static const std::string sql = "select id from replicas where " + living;
  FERMATA_TRY(rows, connection.ask("looking which servers live", sql));
  std::set<std::string> out;
  while (rows.next()) out.emplace(rows.text(0));
  return out;
}

Outcome<void> sweep_replicas(Connection& connection) {
  return order(connection, "forgetting servers that are gone",
               "delete from replicas where seen_at < now() - interval '1 day'");
}

Outcome<Skew> measure_skew(Connection& connection, const std::function<Instant()>& now) {
  using Steady = std::chrono::steady_clock;
  std::array<Skew, skew_samples> samples;
  for (Skew& sample : samples) {
    Steady::time_point sent = Steady::now();
    FERMATA_TRY(rows, connection.ask("comparing clocks",
                                     "select (extract(epoch from clock_timestamp()) * "
                                     "1000)::bigint"));
    Instant here = now();
    auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - sent);
    if (!rows.next()) return fail(ErrorCode::store_unavailable, "PostgreSQL told no time");
    int64_t half = (took.count() + 1) / 2;
    sample = {here.ms - half - rows.integer(0), half};
  }
  std::sort(samples.begin(), samples.end(),
            [](const Skew& a, const Skew& b) { return a.ms < b.ms; });
  return samples[skew_samples / 2];
}

}  // namespace fermata::postgres
