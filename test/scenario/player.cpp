#include "test/scenario/player.h"

#include <algorithm>

#include "base/json.h"
#include "core/run/history.h"
#include "core/run/restart.h"
#include "test/scenario/scenario_graph.h"

namespace fermata::scenario {

namespace {

constexpr uint64_t default_seed = 1;

/// Lines that set the world up before it exists.
struct Setup {
  RunLimits limits;
  uint64_t seed = default_seed;
};

void set_limit(RunLimits& limits, std::string_view name, int64_t value) {
  auto count = static_cast<uint32_t>(value);
  if (name == "steps_per_commit")
    limits.steps_per_commit = count;
  else if (name == "split_items_max")
    limits.split_items_max = count;
  else if (name == "split_depth_max")
    limits.split_depth_max = count;
  else if (name == "visits_max")
    limits.visits_max = count;
  else if (name == "tokens_max")
    limits.tokens_max = count;
  else if (name == "activations_max")
    limits.activations_max = count;
  else if (name == "context_bytes_max")
    limits.context_bytes_max = count;
  else if (name == "run_bytes_max")
    limits.run_bytes_max = count;
  else if (name == "signals_kept_max")
    limits.signals_kept_max = count;
  else
    throw Mistake{0, "there is no limit " + std::string(name)};
}

Setup setup_of(const Section& section) {
  Setup setup;
  for (const Line& line : section.lines) {
    Words words(line);
    if (words.accept("seed")) setup.seed = static_cast<uint64_t>(words.number("a seed"));
    if (!words.accept("limit")) continue;
    std::string name = words.word("a limit");
    set_limit(setup.limits, name, words.number("its value"));
  }
  return setup;
}

}  // namespace

Player::Player(const Section& section, std::string file, Manner manner, FaultPlan plan)
    : section_(section), file_(std::move(file)), manner_(manner) {
  Setup setup = setup_of(section);
  world_ = std::make_unique<World>(manner, plan, setup.seed, setup.limits);
}

Played Player::play() {
  int number = section_.number;
  try {
    for (const Line& line : section_.lines) {
      number = line.number;
      perform(line);
    }
    require_no_refusal(number);
    for (const std::string& run : runs_) check_run(RunId(run));
    for (const std::string& run : runs_) played_.runs.push_back(end_of(run));
  } catch (const Mistake& mistake) {
    fail(mistake.line == 0 ? number : mistake.line, mistake.message);
  }
  played_.struck = world_->plan().struck();
  return std::move(played_);
}

void Player::perform(const Line& line) {
  static const std::map<std::string_view, Statement> statements = {
      {"graph", &Player::on_graph},     {"definition", &Player::on_definition},
      {"start", &Player::on_start},     {"advance", &Player::on_advance},
      {"pass", &Player::on_advance},    {"answer", &Player::on_answer},
      {"reply", &Player::on_reply},     {"cancel", &Player::on_control},
      {"pause", &Player::on_control},   {"resume", &Player::on_control},
      {"signal", &Player::on_control},  {"wake", &Player::on_control},
      {"migrate", &Player::on_control}, {"batch", &Player::on_batch},
      {"retry", &Player::on_restart},   {"rerun", &Player::on_restart},
      {"fork", &Player::on_restart},    {"crash", &Player::on_process},
      {"kill", &Player::on_process},    {"revive", &Player::on_process},
      {"expect", &Player::on_expect}};
  Words words(line);
  std::string before = current_;
  if (words.peek().starts_with("@")) current_ = words.word("a run").substr(1);
  std::string verb(words.peek());
  // These were read when the world was made; `faults` and `once` are for whoever plays.
  if (verb == "limit" || verb == "seed" || verb == "faults" || verb == "once") return;
  auto found = statements.find(verb);
  if (found == statements.end()) words.fail("not understood: " + line.text);
  if (verb != "expect") require_no_refusal(line.number);
  (this->*found->second)(words, line);
  current_ = before;
}

void Player::on_graph(Words& words, const Line& line) {
  words.accept("graph");
  std::string name = words.empty() ? "graph" : words.word("a name");
  check_graph(name, drawn_graph(line), {});
}

void Player::on_definition(Words& words, const Line& line) {
  words.accept("definition");
  std::string name = words.empty() || words.at_json() ? "graph" : words.word("a name");
  std::string text(words.rest());
  for (const Line& part : line.block) text += part.text + "\n";
  auto document = parse_json(text);
  if (!document) words.fail(document.error().message);
  check_graph(name, *document, text);
}

void Player::check_graph(const std::string& name, const Value& document, std::string_view text) {
  graph::DefinitionLimits limits;
  limits.nodes_max = 20'000;
  limits.edges_max = 40'000;
  limits.definition_bytes_max = 16 << 20;
  latest_graph_ = name;
  Graph& graph = graphs_[name];
  graph.checked = check_definition(document, text, limits);
  if (graph.checked.definition) world_->add_definition(graph.checked.definition);
}

void Player::on_start(Words& words, const Line&) {
  words.accept("start");
  send({start_command(words)}, false);
}

Command Player::start_command(Words& words) {
  std::string name = latest_graph_;
  if (words.accept("of")) name = words.word("a graph");
  const Graph& graph = graphs_[name];
  if (!graph.checked.definition) {
    std::string message = "the graph has errors:";
    for (const Finding& finding : graph.checked.errors)
      message += "\n    " + finding.code + " " + finding.path + " " + finding.message;
    words.fail(message);
  }
  StartRun start;
  start.account = AccountId("acme");
  start.workflow = WorkflowId("scenario");
  start.workflow_version = 1;
  start.definition = graph.checked.definition;
  start.input = Value::object();
  std::string rest = with_ranges(std::string(words.rest()));
  Line rest_line{words.line(), rest, {}};
  Words options(rest_line);
  if (options.at_json()) start.input = options.json("the input");
  while (!options.empty()) {
    std::string option = options.word("an option");
    if (option == "timeout")
      start.timeout_ms = options.milliseconds();
    else if (option == "in")
      start.start_at = world_->clock().now() + Duration{options.milliseconds()};
    else if (option == "labels")
      start.labels = options.json("labels");
    else if (option == "request")
      start.request_hash = options.word("a request");
    else
      options.fail("start takes timeout, in, labels and request, not " + option);
  }
  while (!words.empty()) words.word("the options");
  start.trigger = start.input;
  if (std::find(runs_.begin(), runs_.end(), current_) == runs_.end()) runs_.push_back(current_);
  twins_.insert(current_);
  return {id(), std::move(start), "tester"};
}

/// `pass` moves the clock alone: the host takes no turn, so nothing that falls due is seen yet.
void Player::on_advance(Words& words, const Line&) {
  bool alone = words.accept("pass");
  if (!alone) words.accept("advance");
  Duration by{words.milliseconds()};
  words.end();
  if (alone)
    world_->clock().advance(by);
  else
    world_->advance(by);
}

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

void Player::on_answer(Words& words, const Line&) {
  words.accept("answer");
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
  for (const CallAnswer& one : given) world_->calls().deliver(one, copies);
  world_->settle();
  if (!manner_.repeats) return;
  // Once more, long after the run has gone on.
  for (const CallAnswer& one : given) world_->calls().deliver(one, 1);
  world_->settle();
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
      sent.push_back({twin_of(command.run), command.body, command.actor});
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

/// `retry as NAME`, `rerun NODE as NAME`, `fork at EVENT(NODE) CHANGES as NAME`.
void Player::on_restart(Words& words, const Line&) {
  std::string verb = words.word("a command");
  StoredRun stored = world_->stored(id());
  const Run& before = world_->state(id());
  restart::Source source{stored.summary, stored.history, world_->known(id())};
  auto seed = [&] {
    if (verb == "retry") return restart::retry(source);
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
  start.workflow_version = before.workflow_version;
  start.definition = before.definition;
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
