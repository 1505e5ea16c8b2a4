#include <algorithm>

#include "base/json.h"
#include "core/run/view.h"
#include "test/scenario/player.h"
#include "test/scenario/scenario_graph.h"

namespace fermata::scenario {

namespace {

/// What an event is called in a scenario: its type, and its node in brackets if it has one.
std::string event_name(const Value& event) {
  std::string name(event.get("type").as_string());
  if (event.find("node_id")) name += "(" + to_text(event.get("node_id")) + ")";
  return name;
}

/// True when `wanted` names the event; without a node it names those of every node.
bool is_named(const Value& event, std::string_view wanted) {
  if (wanted.find('(') == std::string_view::npos) return event.get("type") == Value(wanted);
  return event_name(event) == wanted;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Value request_shown(const CallRequest& request) {
  Value headers = Value::object();
  for (const auto& [name, text] : request.headers) headers.set(name, text);
  auto body = parse_json(request.body);
  Value mail;
  if (request.mail) {
    Value recipients = Value::array();
    for (const std::string& address : request.mail->recipients) recipients.push(address);
    mail = Value::object({{"from", request.mail->from},
                          {"recipients", recipients},
                          {"message_id", request.mail->message_id}});
  }
  return Value::object({{"mail", mail},
                        {"method", request.method},
                        {"url", request.url},
                        {"headers", headers},
                        {"body", body ? *body : Value(request.body)},
                        {"timeout_ms", request.timeout_ms}});
}

}  // namespace

bool fits(const Value& expected, const Value& got) {
  if (expected == Value("<any>")) return true;
  if (expected.is_array() && got.is_array()) {
    if (expected.size() != got.size()) return false;
    for (size_t i = 0; i < got.size(); ++i)
      if (!fits(expected.items()[i], got.items()[i])) return false;
    return true;
  }
  if (expected.is_object() && got.is_object()) {
    if (expected.size() != got.size()) return false;
    for (const Value::Member& member : expected.members()) {
      const Value* other = got.find(member.key.as_string());
      if (!other || !fits(member.value, *other)) return false;
    }
    return true;
  }
  return expected == got;
}

void Player::demand(int line, const std::string& what, const std::string& expected,
                    const std::string& got) {
  if (expected != got) fail(line, what + "\n  expected: " + expected + "\n  got:      " + got);
}

void Player::demand_value(int line, const std::string& what, const Value& expected,
                          const Value* got) {
  if (got && fits(expected, *got)) return;
  fail(line, what + "\n  expected: " + to_json(expected) +
                 "\n  got:      " + (got ? to_json(*got) : "nothing"));
}

Value Player::shown_run() {
  StoredRun stored = world_->stored(id());
  if (stored.version == 0) throw Mistake{0, "there is no run " + current_};
  auto shown = view::execution(stored.summary, stored.history, world_->known(id()));
  if (!shown) throw Mistake{0, "the run cannot be shown: " + shown.error().message};
  return *std::move(shown);
}

Value Player::shown_nodes(const RunId& run) {
  StoredRun stored = world_->stored(run);
  auto shown = view::nodes(stored.summary, stored.history, world_->known(run));
  if (!shown) throw Mistake{0, "the nodes cannot be shown: " + shown.error().message};
  return shown->get("nodes");
}

std::vector<Value> Player::shown_history(const RunId& run) {
  StoredRun stored = world_->stored(run);
  if (stored.version == 0) return {};
  auto shown = view::history(stored.history, world_->known(run), 1, SIZE_MAX);
  if (!shown) throw Mistake{0, "the history cannot be shown: " + shown.error().message};
  return *std::move(shown);
}

void Player::on_expect(Words& words, const Line& line) {
  words.accept("expect");
  std::string what = words.word("what to expect");
  // With faults about, only the end is compared; what became of occurrences no fault may change.
  if (what == "occurrences") return expect_occurrences(words, line);
  if (manner_.heals) return;
  if (what == "status")
    expect_status(words);
  else if (what == "output")
    expect_at(words, "output", shown_run().get("output"));
  else if (what == "schedule")
    expect_schedule(words);
  else if (what == "progress")
    expect_at(words, "progress", shown_run().get("progress"));
  else if (what == "run")
    expect_at(words, "run", shown_run());
  else if (what == "error")
    expect_error(words);
  else if (what == "node")
    expect_node(words);
  else if (what == "skipped")
    expect_skipped(words);
  else if (what == "events")
    expect_events(words, line);
  else if (what == "count")
    expect_count(words);
  else if (what == "event")
    expect_event(words);
  else if (what == "waiting")
    expect_waiting(words);
  else if (what == "wait")
    expect_wait(words);
  else if (what == "approval")
    expect_approval(words);
  else if (what == "signal")
    expect_signal(words);
  else if (what == "claimed")
    expect_claimed(words);
  else if (what == "job")
    expect_job(words);
  else if (what == "answer" || what == "lost" || what == "cancels")
    expect_answer(what, words);
  else if (what == "calls")
    expect_calls(words);
  else if (what == "call")
    expect_call(words);
  else if (what == "key")
    expect_key(words);
  else if (what == "refused")
    expect_refused(words);
  else if (what == "ended")
    expect_ended(words);
  else if (what == "findings")
    expect_findings(words, line, graphs_[latest_graph_].checked.errors);
  else if (what == "warnings")
    expect_findings(words, line, graphs_[latest_graph_].checked.warnings);
  else
    expect_numbers(what, words);
  words.end();
}

void Player::expect_status(Words& words) {
  demand(words.line(), "status of " + current_, words.word("a status"),
         std::string(shown_run().get("status").as_string()));
}

/// `VALUE`, or `/pointer VALUE`, or `/pointer none`.
void Player::expect_at(Words& words, const char* what, const Value& got) {
  std::string pointer;
  if (words.peek().starts_with("/")) pointer = words.word("a pointer");
  const Value* found = at_pointer(got, pointer);
  if (words.accept("none")) {
    if (found) demand(words.line(), what + pointer, "nothing", to_json(*found));
    return;
  }
  std::string text = with_ranges(std::string(words.rest()));
  Line rest{words.line(), text, {}};
  demand_value(words.line(), what + pointer, Words(rest).json("a value"), found);
  while (!words.empty()) words.word("the value");
}

void Player::expect_error(Words& words) {
  Value error = shown_run().get("error");
  if (words.peek().starts_with("/")) return expect_at(words, "error", error);
  demand(words.line(), "error", words.word("a code"),
         error.is_object() ? to_text(error.get("code")) : "none");
}

/// `expect node NAME success 2 failed 1`: exactly these counts; `none` for a node nothing was told
/// of.
void Player::expect_node(Words& words) {
  std::string node = words.word("a node");
  Value expected = Value::object();
  while (!words.empty() && !words.accept("none")) {
    std::string status = words.word("a status");
    bool counted = !words.empty() && words.rest().front() >= '0' && words.rest().front() <= '9';
    expected.set(status, counted ? words.number("a count") : 1);
  }
  Value nodes = shown_nodes(id());
  for (const Value& shown : nodes.items())
    if (shown.get("node_id") == Value(node))
      return demand_value(words.line(), "node " + node, expected, &shown.get("counts"));
  words.fail("there is no node " + node);
}

void Player::expect_skipped(Words& words) {
  std::vector<std::string> expected, got;
  while (!words.empty() && !words.accept("none")) expected.push_back(words.word("a node"));
  Value nodes = shown_nodes(id());
  for (const Value& shown : nodes.items())
    if (shown.get("counts").find("skipped")) got.push_back(to_text(shown.get("node_id")));
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  demand(words.line(), "skipped", joined(expected), joined(got));
}

/// The events named happened in this order, with any others in between.
void Player::expect_events(Words& words, const Line& line) {
  std::vector<std::pair<int, std::string>> wanted;
  while (!words.empty()) wanted.emplace_back(words.line(), words.word("an event"));
  for (const Line& part : line.block) {
    Words more(part);
    while (!more.empty()) wanted.emplace_back(part.number, more.word("an event"));
  }
  std::vector<Value> history = shown_history(id());
  auto at = history.begin();
  for (const auto& [number, name] : wanted) {
    at = std::find_if(at, history.end(), [&](const Value& event) { return is_named(event, name); });
    if (at == history.end()) return fail(number, "events\n  expected in this order: " + name);
    ++at;
  }
}

void Player::expect_count(Words& words) {
  std::string name = words.word("an event");
  std::vector<Value> history = shown_history(id());
  auto got = std::count_if(history.begin(), history.end(),
                           [&](const Value& event) { return is_named(event, name); });
  demand(words.line(), "count of " + name, std::to_string(words.number("a count")),
         std::to_string(got));
}

/// A field of the latest event of that name; `first` takes the earliest.
void Player::expect_event(Words& words) {
  bool first = words.accept("first");
  std::string name = words.word("an event");
  const Value* found = nullptr;
  std::vector<Value> history = shown_history(id());
  for (const Value& event : history)
    if (is_named(event, name) && !(first && found)) found = &event;
  if (!found) return fail(words.line(), "the history has no " + name);
  expect_at(words, name.c_str(), *found);
}

/// `KIND NODE [/pointer VALUE]`, `none`, or `total N`.
void Player::expect_waiting(Words& words) {
  Value waiting = shown_run().get("waiting");
  if (words.accept("none")) return demand(words.line(), "waiting", "[]", to_json(waiting));
  if (words.accept("total"))
    return demand(words.line(), "waiting", std::to_string(words.number("a count")),
                  std::to_string(waiting.size()));
  std::string kind = words.word("a kind");
  std::string node;
  if (!words.empty() && !words.peek().starts_with("/")) node = words.word("a node");
  for (const Value& entry : waiting.items())
    if (entry.get("kind") == Value(kind) && (node.empty() || entry.get("node") == Value(node))) {
      if (!words.empty()) expect_at(words, "waiting", entry);
      return;
    }
  fail(words.line(),
       "waiting\n  expected: " + kind + " " + node + "\n  got:      " + to_json(waiting));
  while (!words.empty()) words.word("the rest");
}

/// `expect calls NODE N`: so many requests of this run's node reached the server.
void Player::expect_calls(Words& words) {
  std::string node = words.word("a node");
  int64_t got = 0;
  for (const Server::Request& request : world_->server().received())
    if (request.ticket.run == id() && (node == "total" || request.node == node)) ++got;
  demand(words.line(), "calls of " + node, std::to_string(words.number("a count")),
         std::to_string(got));
}

void Player::expect_call(Words& words) {
  std::string node = words.word("a node");
  const Server::Request* found = nullptr;
  for (const Server::Request& request : world_->server().received())
    if (request.ticket.run == id() && request.node == node) found = &request;
  if (!found) return fail(words.line(), node + " has called nobody");
  expect_at(words, "call", request_shown(found->request));
}

/// `NODE same` in all its calls; `NODE same as RUN` or `NODE other than RUN`: in both runs.
void Player::expect_key(Words& words) {
  std::string node = words.word("a node");
  bool same = words.accept("same");
  if (!same) words.accept("other");
  std::set<std::string> here, there;
  RunId other;
  if (words.accept("as") || words.accept("than")) other = id_of(words.word("a run"));
  for (const Server::Request& request : world_->server().received()) {
    if (request.node != node) continue;
    if (request.request.mail) {
      if (request.ticket.run == id()) here.insert(request.request.mail->message_id);
      if (request.ticket.run == other) there.insert(request.request.mail->message_id);
    }
    for (const auto& [name, text] : request.request.headers) {
      if (name == "Idempotency-Key" && request.ticket.run == id()) here.insert(text);
      if (name == "Idempotency-Key" && request.ticket.run == other) there.insert(text);
    }
  }
  if (other.empty()) there = here;
  bool one = here.size() == 1 && there.size() == 1;
  if (!one || (here == there) != same)
    fail(words.line(), "the keys of " + node +
                           " are not as expected: " + std::to_string(here.size()) + " here, " +
                           std::to_string(there.size()) + " there");
}

/// `CODE`, of the latest command; `CODE 2` when it was sent several times and refused twice.
void Player::expect_refused(Words& words) {
  std::string code = words.word("a code");
  int64_t times = words.empty() ? 1 : words.number("a count");
  auto got = std::count(refusals_.begin(), refusals_.end(), code);
  if (got != times || static_cast<size_t>(times) != refusals_.size())
    fail(words.line(), "refusals\n  expected: " + std::to_string(times) + " " + code +
                           "\n  got:      " + joined(refusals_));
  refusals_.clear();
}

void Player::expect_findings(Words& words, const Line& line, const std::vector<Finding>& got) {
  std::vector<std::string> expected, found;
  words.accept("none");
  for (const Line& part : line.block) expected.push_back(part.text);
  for (const Finding& finding : got) found.push_back(finding.code + " " + finding.path);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  if (expected == found) return;
  std::string message = "findings\n  expected:";
  for (const std::string& text : expected) message += "\n    " + text;
  message += "\n  got:";
  for (const std::string& text : found) message += "\n    " + text;
  fail(line.number, message);
}

/// `expect ended before RUN`: the last commit of this run came earlier than that one's.
void Player::expect_ended(Words& words) {
  words.accept("before");
  const std::vector<RunId>& ended = world_->ended();
  auto here = std::find(ended.begin(), ended.end(), id());
  auto there = std::find(ended.begin(), ended.end(), RunId(words.word("a run")));
  if (here >= there) fail(words.line(), current_ + " did not end first");
}

void Player::expect_numbers(const std::string& what, Words& words) {
  StoredRun stored = world_->stored(id());
  std::string expected = words.word("a value");
  std::string got;
  if (what == "commits") {
    got = std::to_string(stored.history.size());
  } else if (what == "timers") {
    got = world_->timers().size() == 0 ? "none" : std::to_string(world_->timers().size());
  } else if (what == "flying") {
    std::vector<CallTicket> flying = world_->calls().flying();
    got = std::to_string(std::count_if(flying.begin(), flying.end(), [&](const CallTicket& ticket) {
      return ticket.run == id();
    }));
  } else if (what == "flying_most") {
    got = std::to_string(world_->most_in_flight());
  } else if (what == "lasted") {
    Instant end = stored.summary.completed_at.value_or(world_->clock().now());
    got = std::to_string((end - stored.summary.started_at).ms) + "ms";
    auto length = parse_duration(expected);
    if (length) expected = std::to_string(length->ms) + "ms";
  } else if (what == "logged") {
    expected += words.empty() ? "" : " " + std::string(words.rest());
    while (!words.empty()) words.word("the rest");
    got = world_->log_lines().empty() ? "nothing" : world_->log_lines().back();
  } else {
    words.fail("expect does not know " + what);
  }
  demand(words.line(), what, expected, got);
}

}  // namespace fermata::scenario
