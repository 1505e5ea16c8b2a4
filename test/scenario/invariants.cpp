#include <algorithm>

#include "base/json.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"
#include "core/run/view.h"
#include "core/run/waiting.h"
#include "test/scenario/player.h"

namespace fermata::scenario {

namespace {

constexpr size_t history_lines_shown = 120;
constexpr size_t fields_shown = 160;
/// Progress is followed event by event only in histories that are short enough for it.
constexpr size_t progress_events_max = 2'000;

bool is_terminal_event(std::string_view type) {
  return type == "RunCompleted" || type == "RunFailed" || type == "RunCancelled" ||
         type == "RunTimedOut";
}

}  // namespace

Value timeless(const Value& value) {
  if (value.is_string()) return parse_rfc3339(value.as_string()) ? Value("<time>") : value;
  if (value.is_array()) {
    Value out = Value::array();
    for (const Value& item : value.items()) out.push(timeless(item));
    return out;
  }
  if (!value.is_object()) return value;
  Value out = Value::object();
  for (const Value::Member& member : value.members()) {
    std::string_view key = member.key.as_string();
    bool length = key.ends_with("_ms");
    out.set(key, length ? Value("<time>") : timeless(member.value));
  }
  return out;
}

void Player::fail(int line, const std::string& message) {
  std::string text = file_ + ":" + std::to_string(line) + ": " + section_.title + ": " + message;
  bool known = std::find(runs_.begin(), runs_.end(), current_) != runs_.end();
  // Once is enough for each run.
  if (known && told_.insert(current_).second) text += "\n" + history_text(id());
  played_.failures.push_back(std::move(text));
}

std::string Player::history_text(const RunId& run) {
  std::vector<Value> events = shown_history(run);
  std::string text = "  history of " + run.text() + ":\n";
  for (size_t i = 0; i < events.size(); ++i) {
    size_t half = history_lines_shown / 2;
    if (events.size() > history_lines_shown && i == half) {
      text += "    … " + std::to_string(events.size() - 2 * half) + " more\n";
      i = events.size() - half;
    }
    Value event = events[i];
    std::string line = "    " + to_text(event.get("sequence")) + " " + to_text(event.get("type"));
    if (event.find("node_id")) line += " " + to_text(event.get("node_id"));
    std::string at = to_text(event.get("at"));
    for (const char* key : {"sequence", "type", "node_id", "node_name", "at", "account_id",
                            "workflow_id", "version", "hash", "by"})
      event.erase(key);
    text += line + " " + to_json(event).substr(0, fields_shown) + " " + at.substr(11, 12) + "\n";
  }
  return text;
}

/// What holds for every run whatever happened to it (G-90, G-98, G-101).
void Player::check_run(const RunId& run) {
  current_ = run.text();
  StoredRun stored = world_->stored(run);
  int end = section_.lines.empty() ? section_.number : section_.lines.back().number;
  if (stored.version == 0) return;
  auto folded = fold(run, stored.history, [&](const DefinitionHash& hash) {
    return *world_->definitions().definition(hash);
  });
  if (!folded) return fail(end, "the history cannot be folded: " + folded.error().message);
  if (!(summarize(*folded) == stored.summary))
    fail(end, "the fold of the history is not the state that was committed");
  auto again = decode_snapshot(encode_snapshot(*folded), folded->definition);
  if (!again || encode_snapshot(*again) != encode_snapshot(*folded))
    fail(end, "a snapshot does not give the state back");
  check_waits(run, *folded);
  check_approvals(run, *folded);
  size_t terminal = 0;
  std::vector<Value> events = shown_history(run);
  Value at = events.front().get("at");
  for (size_t i = 0; i < events.size(); ++i) {
    const Value& event = events[i];
    if (is_terminal_event(event.get("type").as_string())) ++terminal;
    if (event.get("sequence") != Value(i + 1)) fail(end, "the history has a gap");
    if (event.get("at").as_string() < at.as_string()) fail(end, "the history goes back in time");
    at = event.get("at");
  }
  bool ended = is_terminal(stored.summary.status);
  if (terminal != (ended ? 1u : 0u)) fail(end, "there is not exactly one terminal event");
  if (ended && !is_terminal_event(events.back().get("type").as_string()))
    fail(end, "the terminal event is not the last");
  if (ended && !(folded->tokens.empty() && folded->scopes.empty() && folded->merges.empty() &&
                 folded->timers.empty() && !stored.summary.next_due))
    fail(end, "something of the ended run is still alive");
  if (!view::stream_records(run, stored.history, world_->known(run), true))
    fail(end, "the stream cannot be shown");
  if (events.size() > progress_events_max) return;
  check_progress(run, stored);
  check_items(run, stored);
}

/// What is listed of a node is what is counted of it (G-102).
void Player::check_items(const RunId& run, const StoredRun& stored) {
  int end = section_.lines.empty() ? section_.number : section_.lines.back().number;
  KnownDefinitions known = world_->known(run);
  for (const graph::Node& node : known.latest->nodes) {
    view::ItemsWanted all;
    all.limit = SIZE_MAX;
    auto listed = view::node_items(stored.summary, stored.history, known, node.id, all);
    if (!listed) return fail(end, "items cannot be listed: " + listed.error().message);
    std::map<std::string, int64_t> counted;
    for (const Value& item : listed->get("items").items()) ++counted[to_text(item.get("status"))];
    const Value& told = listed->get("counts");
    bool same = told.size() == counted.size();
    for (const auto& [status, count] : counted) same = same && told.get(status) == Value(count);
    if (!same) fail(end, "items of " + node.id + " differ from its counts: " + to_json(*listed));
  }
}

/// `planned` never grows, and is reached when the run completes (G-98).
void Player::check_progress(const RunId& run, const StoredRun& stored) {
  int end = section_.lines.empty() ? section_.number : section_.lines.back().number;
  Run state;
  state.id = run;
  std::optional<int64_t> planned;
  for (const HistoryChunk& chunk : stored.history) {
    auto events = decode_history(chunk);
    for (const Event& event : *events) {
      if (const auto* started = start_in(event.body))
        state.definition = *world_->definitions().definition(started->hash);
      if (const auto* migrated = std::get_if<RunMigrated>(&event.body)) {
        // Another version has other nodes to plan for.
        state.definition = *world_->definitions().definition(migrated->hash);
        planned.reset();
      }
      evolve(state, event);
    }
    Value progress = progress_of(state);
    int64_t now = progress.get("planned").as_integer();
    if (planned && now > *planned) fail(end, "planned grows: " + to_json(progress));
    planned = now;
    if (state.finished() && progress.get("planned") != progress.get("done"))
      fail(end, "progress is not complete at the end: " + to_json(progress));
  }
}

RunEnd Player::end_of(const std::string& name) {
  RunEnd end;
  end.name = name;
  RunId run(name);
  StoredRun stored = world_->stored(run);
  if (stored.version == 0) return end;
  end.status = stored.summary.status;
  end.output = timeless(world_->state(run).output);
  end.nodes = shown_nodes(run);
  end.chunks = stored.history;
  for (const Value& event : shown_history(run)) end.history.push_back(to_json(timeless(event)));
  return end;
}

}  // namespace fermata::scenario
