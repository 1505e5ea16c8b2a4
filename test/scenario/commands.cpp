#include <algorithm>

#include "base/json.h"
#include "core/run/restart.h"
#include "test/scenario/player.h"

namespace fermata::scenario {

Player::Target Player::take_target(Words& words) {
  Target target;
  target.all = words.accept("all");
  target.node = words.word("a node");
  if (words.accept("item")) target.item = words.number("an item");
  return target;
}

std::vector<CallTicket> Player::tickets_at(const RunId& run, const Target& target) {
  std::vector<CallTicket> tickets;
  for (const CallTicket& ticket : world_->calls().flying()) {
    if (ticket.run != run || world_->server().node_of(ticket) != target.node) continue;
    const Token& token = world_->state(run).tokens.at(ticket.token);
    if (target.item && *target.item != token.lineage.item) continue;
    tickets.push_back(ticket);
    if (!target.all) break;
  }
  return tickets;
}

CallAnswer Player::json_answer(int status, const Value& body) {
  CallAnswer answer;
  answer.status = status;
  answer.status_text = status < 400 ? "OK" : "Refused";
  answer.headers = {{"content-type", "application/json"}};
  answer.body = to_json(body);
  answer.duration_ms = 5;
  return answer;
}

/// `200 {"id": 1} headers {…}`, or `error network`.
CallAnswer Player::take_answer(Words& words) {
  CallAnswer answer;
  if (words.accept("error")) {
    answer.error = words.word("an error code");
    answer.message = "the call failed: " + answer.error;
  } else {
    auto status = static_cast<int>(words.number("a status"));
    answer = json_answer(status, words.at_json() ? words.json("a body") : Value::object());
  }
  if (words.accept("headers")) {
    Value headers = words.json("headers");
    for (const Value::Member& member : headers.members())
      answer.headers.emplace_back(std::string(member.key.as_string()), to_text(member.value));
  }
  return answer;
}

/// All answers given so far arrive once more: none of them is awaited any longer.
void Player::repeat_answers() {
  for (const CallAnswer& answer : answered_)
    if (!world_->calls().holds(answer.ticket)) world_->calls().deliver(answer, 1);
  world_->settle();
}

void Player::on_answer(Words& words, const Line&) {
  words.accept("answer");
  if (words.accept("again")) return repeat_answers();
  Target target = take_target(words);
  CallAnswer answer = take_answer(words);
  int copies = manner_.repeats ? 3 : 1;
  if (words.peek().starts_with("x")) copies = std::stoi(words.word("copies").substr(1));
  words.end();
  if (tickets_at(id(), target).empty()) words.fail("no call of " + target.node + " is under way");
  std::vector<CallAnswer> given;
  for (const RunId& run : {twin_of(id()), id()}) {
    for (const CallTicket& ticket : tickets_at(run, target)) {
      answer.ticket = ticket;
      world_->server().set_answer(ticket, answer);
      given.push_back(answer);
    }
  }
  if (manner_.repeats) repeat_answers();
  for (const CallAnswer& one : given) world_->calls().deliver(one, copies);
  world_->settle();
  answered_.insert(answered_.end(), given.begin(), given.end());
  if (manner_.repeats) repeat_answers();
}

void Player::on_reply(Words& words, const Line&) {
  words.accept("reply");
  std::string node = words.word("a node");
  Server::Rule rule{take_answer(words), {}};
  if (words.accept("after")) rule.after = Duration{words.milliseconds()};
  words.end();
  world_->server().set_rule(node, std::move(rule));
}

Command Player::control_command(const std::string& verb, Words& words) {
  Command command{id(), WakeRun{}, "tester"};
  if (verb == "cancel") {
    std::string reason(words.rest());
    while (!words.empty()) words.word("a reason");
    command.body = CancelRun{reason};
  } else if (verb == "pause") {
    command.body = PauseRun{};
  } else if (verb == "resume") {
    command.body = ResumeRun{};
  } else if (verb == "signal") {
    SignalRun signal;
    signal.name = words.word("the signal's name");
    if (words.at_json()) signal.payload = words.json("a payload");
    signal.signal_id = "signal-" + std::to_string(++signals_);
    if (words.accept("id")) signal.signal_id = words.word("an id");
    command.body = std::move(signal);
  } else if (verb == "migrate") {
    MigrateRun migrate;
    migrate.workflow_version = world_->state(id()).workflow_version + 1;
    words.accept("to");
    migrate.definition = graphs_[words.word("a graph")].checked.definition;
    if (!migrate.definition) words.fail("the graph has errors");
    if (words.at_json()) migrate.map = words.json("a map");
    command.body = std::move(migrate);
  } else if (verb == "wait") {
    command.body = wait_command(words);
  } else if (verb == "approve" || verb == "reject") {
    return approval_command(verb == "approve", words);
  } else if (verb == "answer") {
    return answer_command(words);
  } else if (verb == "start") {
    return start_command(words);
  } else if (verb != "wake") {
    words.fail("a batch takes start, answer, cancel, pause, resume, signal and wake, not " + verb);
  }
  return command;
}

Command Player::answer_command(Words& words) {
  Target target = take_target(words);
  CallAnswer answer = take_answer(words);
  std::vector<CallTicket> tickets = tickets_at(id(), target);
  if (tickets.empty()) words.fail("no call of " + target.node + " is under way");
  answer.ticket = tickets.front();
  world_->calls().abandon(answer.ticket);
  return {id(), AnswerCall{std::move(answer)}, "engine"};
}

void Player::on_control(Words& words, const Line&) {
  std::string verb = words.word("a command");
  int copies = 1;
  if (verb == "wake" && words.peek().starts_with("x"))
    copies = std::stoi(words.word("copies").substr(1));
  Command command = control_command(verb, words);
  words.end();
  send(std::vector<Command>(static_cast<size_t>(copies), command), verb == "wake");
}

void Player::on_batch(Words& words, const Line& line) {
  words.accept("batch");
  words.end();
  std::vector<Command> commands;
  for (const Line& part : line.block) {
    Words inner(part);
    std::string before = current_;
    if (inner.peek().starts_with("@")) current_ = inner.word("a run").substr(1);
    std::string verb = inner.word("a command");
    commands.push_back(control_command(verb, inner));
    inner.end();
    current_ = before;
  }
  send(std::move(commands), false);
}

void Player::send(std::vector<Command> commands, bool quiet_refusals) {
  std::vector<Command> sent;
  std::vector<size_t> counts;  // where the original of each command stands
  for (Command& command : commands) {
    const auto* start = std::get_if<StartRun>(&command.body);
    bool has_twin = twins_.contains(command.run.text()) && !(start && start->seed) &&
                    !std::holds_alternative<AnswerCall>(command.body);
    if (manner_.repeats && has_twin)
      sent.push_back(
          {twin_of(command.run), for_twin(command.body, twin_of(command.run)), command.actor});
    counts.push_back(sent.size());
    int copies = manner_.repeats && !quiet_refusals ? 3 : 1;
    for (int copy = 0; copy < copies; ++copy) sent.push_back(command);
  }
  std::vector<Outcome<RunSummary>> outcomes = world_->send(sent);
  refusals_.clear();
  for (size_t at : counts)
    if (!outcomes[at]) refusals_.emplace_back(fermata::name_of(outcomes[at].error().code));
  replies_ = counts.size();
  refusals_expected_ = quiet_refusals || manner_.heals;
}

void Player::require_no_refusal(int line) {
  if (refusals_expected_ || refusals_.empty()) return;
  std::string refused = refusals_.front();
  refusals_.clear();
  fail(line, "the command before this line was refused: " + refused);
}

/// `TYPE(NODE)` as the sequence of the first such event, or a plain number.
uint64_t Player::sequence_of(Words& words) {
  std::string wanted = words.word("an event or a sequence");
  if (wanted.find_first_not_of("0123456789") == std::string::npos) return std::stoull(wanted);
  for (const Value& event : shown_history(id())) {
    std::string name(event.get("type").as_string());
    if (event.find("node_id")) name += "(" + to_text(event.get("node_id")) + ")";
    if (name == wanted) return static_cast<uint64_t>(event.get("sequence").as_integer());
  }
  words.fail("the history has no " + wanted);
}

/// `to GRAPH [MAP]` of a retry in another version.
std::optional<MigrationTarget> Player::retry_target(Words& words, const Run& before) {
  if (!words.accept("to")) return std::nullopt;
  MigrationTarget target{before.workflow_version + 1, nullptr, {}};
  target.definition = graphs_[words.word("a graph")].checked.definition;
  if (!target.definition) words.fail("the graph has errors");
  if (words.at_json()) target.map = words.json("a map");
  return target;
}

/// `retry [to GRAPH [MAP]] as NAME`, `rerun NODE as NAME`, `fork at EVENT(NODE) CHANGES as NAME`.
void Player::on_restart(Words& words, const Line&) {
  std::string verb = words.word("a command");
  StoredRun stored = world_->stored(id());
  const Run& before = world_->state(id());
  restart::Source source{stored.summary, stored.history, world_->known(id())};
  auto seed = [&] {
    if (verb == "retry") return restart::retry(source, retry_target(words, before));
    if (verb == "rerun") return restart::rerun(source, words.word("a node"));
    words.accept("at");
    uint64_t sequence = sequence_of(words);
    Value changes;
    if (words.at_json()) changes = words.json("changes");
    return restart::fork(source, sequence, changes);
  }();
  std::string name = words.accept("as") ? words.word("a name") : verb;
  words.end();
  if (!seed) {
    refusals_ = {std::string(fermata::name_of(seed.error().code))};
    replies_ = 1;
    refusals_expected_ = manner_.heals;
    return;
  }
  StartRun start;
  start.account = before.account;
  start.workflow = before.workflow;
  start.workflow_version = seed->state->workflow_version;
  start.definition = seed->state->definition;
  start.input = before.input;
  start.trigger = before.trigger;
  start.trigger_kind = before.trigger_kind;
  start.labels = before.labels;
  start.request_hash = verb + name;
  start.origin = {id(), verb};
  start.seed = seed->state;
  runs_.push_back(name);
  send({{RunId(name), std::move(start), "tester"}}, false);
}

void Player::on_process(Words& words, const Line&) {
  std::string verb = words.word("a verb");
  words.end();
  if (verb != "revive") world_->kill();
  if (verb != "kill") world_->restart();
  world_->settle();
}

}  // namespace fermata::scenario
