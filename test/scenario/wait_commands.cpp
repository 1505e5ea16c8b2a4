#include "base/json.h"
#include "core/run/wait_view.h"
#include "test/scenario/player.h"

namespace fermata::scenario {

/// `STEP [occurrence N]`: the newest pending wait there, else the newest.
WaitRecord Player::wait_at(const RunId& run, Words& words) {
  std::string step = words.word("a step");
  std::optional<int64_t> occurrence;
  if (words.accept("occurrence")) occurrence = words.number("an occurrence");
  auto waits = world_->store().waits_of(run, step);
  if (!waits || waits->empty()) words.fail("no wait was opened at " + step);
  const WaitRecord* chosen = &waits->back();
  for (const WaitRecord& record : *waits) {
    if (is_pending(record.wait.status)) chosen = &record;
    if (occurrence && record.wait.occurrence == *occurrence) return record;
  }
  if (occurrence) words.fail("no such occurrence at " + step);
  return *chosen;
}

/// `open STEP TYPE {…}`. Sent again after a fault, it is the same request.
OpenWait Player::open_command(Words& words) {
  OpenWait open;
  open.step = words.word("a step");
  open.type = words.word("a type of wait");
  open.config = words.json("a configuration");
  auto before = world_->store().waits_of(id_of(current_), open.step);
  open.request = open.step + "#" + std::to_string(before ? before->size() : 0);
  return open;
}

CommandBody Player::wait_command(Words& words) {
  std::string verb = words.word("open, resume, cancel, change, hold or release");
  if (verb == "open") return open_command(words);
  bool all = words.accept("*");
  std::string id = all ? "" : wait_at(id_of(current_), words).wait.id;
  if (verb == "resume") {
    ResumeWait resume;
    resume.wait = id;
    if (words.at_json()) resume.output = words.json("an event");
    if (words.accept("branch")) resume.branch = words.word("a step or an edge");
    return resume;
  }
  if (verb == "cancel") {
    std::string reason = words.empty() ? "" : words.word("a reason");
    return CancelWait{id, reason};
  }
  if (verb == "change") {
    ChangeWait change{id, {}, false};
    if (words.at_json()) change.config = words.json("a configuration");
    change.from_now = words.accept("now");
    return change;
  }
  if (verb == "hold") return HoldWaits{id, words.word("a reason")};
  if (verb == "release") return ReleaseWaits{id, ""};
  words.fail("a wait takes resume, cancel, change, hold and release, not " + verb);
}

/// The same of the wait that stands where this one does in the other run.
CommandBody Player::for_twin(const CommandBody& body, const RunId& twin) {
  CommandBody out = body;
  auto move = [&](std::string& id) {
    auto record = world_->store().find_wait(id);
    if (!record || !*record) return;
    auto waits = world_->store().waits_of(twin, (*record)->wait.step);
    for (const WaitRecord& other : *waits)
      if (other.wait.occurrence == (*record)->wait.occurrence) id = other.wait.id;
  };
  if (auto* answer = std::get_if<AnswerApproval>(&out))
    answer->approval = twin_approval(answer->approval, twin);
  if (auto* resume = std::get_if<ResumeWait>(&out)) move(resume->wait);
  if (auto* cancel = std::get_if<CancelWait>(&out)) move(cancel->wait);
  if (auto* change = std::get_if<ChangeWait>(&out)) move(change->wait);
  if (auto* hold = std::get_if<HoldWaits>(&out)) move(hold->wait);
  if (auto* release = std::get_if<ReleaseWaits>(&out)) move(release->wait);
  return out;
}

void Player::expect_wait(Words& words) {
  WaitRecord record = wait_at(id(), words);
  if (!words.empty()) expect_at(words, "wait", view::wait(record, world_->clock().now()));
}

/// The rows of the store are what the run knows of its waits, and no ended wait is pending (W-1).
void Player::check_waits(const RunId& run, const Run& state) {
  int end = section_.lines.empty() ? section_.number : section_.lines.back().number;
  auto rows = world_->store().waits_of(run, "");
  if (!rows) return fail(end, "the waits cannot be read");
  size_t standing = 0;
  for (const WaitRecord& record : *rows) {
    const Wait* known = nullptr;
    for (const auto& [key, wait] : state.waits)
      if (wait.id == record.wait.id) known = &wait;
    if (!known) {
      if (is_pending(record.wait.status) || record.wait.parked)
        fail(end, "wait " + record.wait.step + " is pending in the store alone");
      continue;
    }
    ++standing;
    Wait dated = *known;
    dated.updated_at = record.wait.updated_at;
    if (!(dated == record.wait)) fail(end, "wait " + known->step + " has another row");
  }
  if (standing != state.waits.size()) fail(end, "a wait has no row");
}

}  // namespace fermata::scenario
