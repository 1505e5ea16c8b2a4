#include "base/check.h"
#include "base/json.h"
#include "core/schedule/view.h"
#include "front/schedule_request.h"
#include "host/schedule_cache.h"
#include "test/scenario/player.h"

/// What a scenario does with schedules, and what it may demand of them.
namespace fermata::scenario {

namespace {

constexpr int orders_max = 20;

schedule::Key key_of(const std::string& name) { return {AccountId("acme"), ScheduleId(name)}; }

Instant instant_of(Words& words) {
  auto at = parse_rfc3339(words.word("an instant"));
  if (!at) words.fail("an instant such as 2026-03-01T10:00:00Z is expected");
  return *at;
}

/// `started TIME`, `queued TIME`, `skipped REASON COUNT FIRST [LAST]`, `refused CODE`; empty for
/// what is no occurrence.
std::string occurrence_text(const schedule::Event& event) {
  if (const auto* started = std::get_if<schedule::OccurrenceStarted>(&event.body)) {
    std::string cause =
        started->cause == schedule::Cause::rule ? "" : " " + std::string(name_of(started->cause));
    return "started " + to_rfc3339(started->occurrence) + cause;
  }
  if (const auto* queued = std::get_if<schedule::OccurrenceQueued>(&event.body))
    return "queued " + to_rfc3339(queued->occurrence);
  if (const auto* refused = std::get_if<schedule::StartRefused>(&event.body))
    return "refused " + refused->code;
  const auto* skipped = std::get_if<schedule::OccurrencesSkipped>(&event.body);
  if (!skipped) return "";
  std::string text = "skipped " + skipped->reason + " " + std::to_string(skipped->count) + " " +
                     to_rfc3339(skipped->first);
  return skipped->count == 1 ? text : text + " " + to_rfc3339(skipped->last);
}

}  // namespace

Outcome<ScheduleTold> World::order(const schedule::Command& command) {
  for (int tries = 0; tries < orders_max; ++tries) {
    auto box = std::make_shared<std::optional<Outcome<ScheduleTold>>>();
    check(host_->submit_schedule(
        command, [box](Outcome<ScheduleTold> told) { box->emplace(std::move(told)); }));
    settle();
    bool broken = *box && !**box &&
                  ((*box)->error().code == ErrorCode::store_unavailable ||
                   (*box)->error().code == ErrorCode::outcome_unknown);
    if (*box && !(manner_.heals && broken)) {
      if (**box) schedules_.insert(command.schedule);
      return std::move(**box);
    }
  }
  throw Mistake{0, "a schedule never answers"};
}

schedule::Schedule World::schedule_state(const schedule::Key& key) {
  auto stored = memory_.find_schedule(key);
  check(static_cast<bool>(stored));
  if (stored->version == 0) return {};
  auto state = open_schedule(key.id, *stored);
  if (!state) throw Mistake{0, "the schedule cannot be opened: " + state.error().message};
  return *std::move(state);
}

/// `schedule NAME {…}`, or `schedule NAME pause|resume|delete|trigger KEY|backfill FROM TO`.
void Player::on_schedule(Words& words, const Line&) {
  words.accept("schedule");
  schedule::Command command{key_of(words.word("a schedule's name")), {}, "tester"};
  if (words.at_json()) {
    Value body = words.json("a specification");
    auto zones = World::zone_data().zones({0});
    auto read = front::read_schedule(body, *zones);
    if (!read) words.fail("the specification is wrong: " + read.error().message);
    command.body =
        schedule::CreateSchedule{read->spec, read->paused.value_or(false), to_canonical_json(body)};
  } else if (words.accept("pause")) {
    command.body = schedule::PauseSchedule{};
  } else if (words.accept("resume")) {
    command.body = schedule::ResumeSchedule{};
  } else if (words.accept("delete")) {
    command.body = schedule::DeleteSchedule{};
  } else if (words.accept("trigger")) {
    command.body = schedule::TriggerSchedule{words.word("a key")};
  } else if (words.accept("backfill")) {
    Instant from = instant_of(words);
    command.body = schedule::BackfillSchedule{from, instant_of(words)};
  } else {
    words.fail("a specification or an action is expected");
  }
  words.end();
  refusals_.clear();
  auto told = world_->order(command);
  if (!told) refusals_.push_back(std::string(name_of(told.error().code)));
  refusals_expected_ = manner_.heals;
}

/// `expect schedule NAME /pointer V`.
void Player::expect_schedule(Words& words) {
  schedule::Schedule state = world_->schedule_state(key_of(words.word("a schedule's name")));
  expect_at(words, "schedule", schedule::view(state));
}

/// `expect occurrences NAME`: all of them, oldest first, one in a line below.
void Player::expect_occurrences(Words& words, const Line& line) {
  schedule::Key key = key_of(words.word("a schedule's name"));
  auto chunks = world_->store().schedule_history(key, UINT64_MAX, SIZE_MAX);
  check(static_cast<bool>(chunks));
  std::string expected, got;
  for (const Line& part : line.block) expected += "\n    " + part.text;
  for (auto chunk = chunks->rbegin(); chunk != chunks->rend(); ++chunk)
    for (const schedule::Event& event : *schedule::decode_history(*chunk))
      if (std::string text = occurrence_text(event); !text.empty()) got += "\n    " + text;
  demand(line.number, "occurrences of " + key.id.text(), expected, got);
}

}  // namespace fermata::scenario
