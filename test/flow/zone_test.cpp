#include "test/flow/script_runs.h"

#include "core/wait/zone.h"
#include "core/wait/zone_table.h"

/// What scripts are told of time zones (F-32, F-40).
namespace fermata::test {
namespace {

std::shared_ptr<const ZoneTable> table(int32_t hours) {
  std::vector<ZoneTable::Named> zones;
  zones.emplace_back("Test/Here", std::make_shared<const Zone>(Zone::fixed(hours * 3600, "HERE")));
  return std::make_shared<const ZoneTable>("2026a", std::move(zones));
}

// F-40, F-41
TEST(ZonesOfScripts, answers_are_kept_so_that_new_zone_data_changes_no_history) {
  ScriptRun run(
      define_script("const h = Time.parts(0, 'Test/Here').hour\n"
                    "const f = Time.format(0, 'Test/Here')\n"
                    "const d = Time.startOfDay(0, 'Test/Here')\n"
                    "await Signal.next('go')\n"
                    "return [h, f, d, Time.parts(0, 'Test/Here').hour]"));
  run.given.zones = table(2);
  run.start();
  run.given.zones = table(5);
  run.tell(SignalRun{"go", {}, ""});
  EXPECT_EQ(to_json(run.run.output), R"([2,"1970-01-01T02:00:00.000+02:00",-7200000,5])");
  // The fold has no zone data at all.
  auto folded = fold(run.run.id, run.chunks, run.lookup());
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->output, run.run.output);
}

TEST(ZonesOfScripts, unknown_ones_are_refused_and_stay_so) {
  ScriptRun run(
      define_script("try { Time.parts(0, 'Test/Nowhere') } catch (e) {\n"
                    "  await Signal.next('go')\n  return [e.code, e.message] }"));
  run.given.zones = table(2);
  run.start();
  run.tell(SignalRun{"go", {}, ""});
  EXPECT_EQ(run.run.output.items()[0], Value("WRONG_ARG_TYPE"));
  auto folded = fold(run.run.id, run.chunks, run.lookup());
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->output, run.run.output);
}

// F-32
TEST(ZonesOfScripts, timers_until_a_time_of_day_go_by_the_clocks_of_the_zone) {
  ScriptRun run(define_script(
      "await Timer.until({ time: '09:00', timezone: 'Test/Here' })\nreturn Time.iso()"));
  run.given.zones = table(2);
  run.given.now = *parse_rfc3339("2026-02-02T06:30:00Z");
  run.start();
  EXPECT_FALSE(run.wake(29 * 60'000));
  EXPECT_TRUE(run.wake(60'000));
  EXPECT_EQ(run.run.output, Value("2026-02-02T07:00:00.000Z"));
}

TEST(ZonesOfScripts, timers_until_a_date_or_on_certain_days) {
  ScriptRun date(define_script(
      "await Timer.until({ date: '2026-03-01', time: '10:00', timezone: 'Test/Here' })\n"
      "return Time.iso()"));
  date.given.zones = table(2);
  date.given.now = *parse_rfc3339("2026-02-02T06:30:00Z");
  date.start();
  EXPECT_EQ(to_rfc3339(date.run.timers.begin()->due), "2026-03-01T08:00:00.000Z");
  ScriptRun monday(
      define_script("await Timer.until({ time: '10:00', business_days_only: true })\nreturn 1"));
  monday.given.now = *parse_rfc3339("2026-02-06T12:00:00Z");  // a Friday
  monday.start();
  EXPECT_EQ(to_rfc3339(monday.run.timers.begin()->due), "2026-02-09T10:00:00.000Z");
  ScriptRun wrong(define_script("const t = { time: '25:00' }\nawait Timer.until(t)\nreturn 1"));
  wrong.start();
  EXPECT_EQ(wrong.run.error.get("code"), Value("WRONG_ARG_TYPE"));
}

}  // namespace
}  // namespace fermata::test
