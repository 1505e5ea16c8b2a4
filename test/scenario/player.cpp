#include "test/scenario/player.h"

#include <algorithm>

#include "base/json.h"
#include "core/run/script_definition.h"
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
  else if (name == "activation_steps_max")
    limits.activation_steps_max = count;
  else if (name == "context_bytes_max")
    limits.context_bytes_max = count;
  else if (name == "run_bytes_max")
    limits.run_bytes_max = count;
  else if (name == "child_depth_max")
    limits.child_depth_max = count;
  else if (name == "signal_targets_max")
    limits.signal_targets_max = count;
  else if (name == "mail_recipients_max")
    limits.mail_recipients_max = count;
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
    for (const std::string& run : runs_) check_run(id_of(run));
    for (const std::string& run : runs_) played_.runs.push_back(end_of(run));
  } catch (const Mistake& mistake) {
    fail(mistake.line == 0 ? number : mistake.line, mistake.message);
  }
  played_.struck = world_->plan().struck();
  return std::move(played_);
}

void Player::perform(const Line& line) {
  static const std::map<std::string_view, Statement> statements = {
      {"graph", &Player::on_graph},       {"definition", &Player::on_definition},
      {"script", &Player::on_script},     {"start", &Player::on_start},
      {"advance", &Player::on_advance},   {"child", &Player::on_child},
      {"pass", &Player::on_advance},      {"answer", &Player::on_answer},
      {"reply", &Player::on_reply},       {"cancel", &Player::on_control},
      {"pause", &Player::on_control},     {"resume", &Player::on_control},
      {"signal", &Player::on_control},    {"wait", &Player::on_control},
      {"wake", &Player::on_control},      {"approve", &Player::on_control},
      {"reject", &Player::on_control},    {"migrate", &Player::on_control},
      {"batch", &Player::on_batch},       {"retry", &Player::on_restart},
      {"rerun", &Player::on_restart},     {"fork", &Player::on_restart},
      {"crash", &Player::on_process},     {"kill", &Player::on_process},
      {"revive", &Player::on_process},    {"schedule", &Player::on_schedule},
      {"event", &Player::on_event},       {"contact", &Player::on_contact},
      {"settings", &Player::on_settings}, {"workflow", &Player::on_workflow},
      {"goals", &Player::on_rules},       {"triggers", &Player::on_rules},
      {"worker", &Player::on_worker},     {"claim", &Player::on_claim},
      {"report", &Player::on_report},     {"heartbeat", &Player::on_heartbeat},
      {"dismiss", &Player::on_dismiss},   {"submit", &Player::on_submit},
      {"job", &Player::on_job},           {"policy", &Player::on_policy},
      {"scanner", &Player::on_scanner},   {"expect", &Player::on_expect}};
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

namespace {

void add_source(std::string& source, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    source += line.text + "\n";
    add_source(source, line.block);
  }
}

}  // namespace

void Player::on_script(Words& words, const Line& line) {
  words.accept("script");
  std::string name = words.empty() ? "graph" : words.word("a name");
  std::string source;
  add_source(source, line.block);
  flow::CheckedScript checked = flow::check_script(source);
  latest_graph_ = name;
  Graph& graph = graphs_[name];
  graph.checked = {};
  graph.checked.errors = checked.errors;
  if (!checked.errors.empty()) return;
  graph.checked.definition = make_script_definition(flow::make_definition(std::move(checked)));
  world_->add_definition(name, graph.checked.definition);
}

void Player::check_graph(const std::string& name, const Value& document, std::string_view text) {
  graph::DefinitionLimits limits;
  limits.nodes_max = 20'000;
  limits.edges_max = 40'000;
  limits.definition_bytes_max = 16 << 20;
  limits.job_types = {"crm.lookup"};
  latest_graph_ = name;
  Graph& graph = graphs_[name];
  graph.checked = check_definition(document, text, limits, World::zone_data().zones({0}).get());
  if (graph.checked.definition) world_->add_definition(name, graph.checked.definition);
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
    else if (option == "contact")
      start.contact_id = options.word("a contact");
    else if (option == "request")
      start.request_hash = options.word("a request");
    else if (option == "contact")
      start.contact_id = options.word("a contact");
    else
      options.fail("start takes timeout, in, labels, request and contact, not " + option);
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

/// Gives the run that a node of the current one has started a name of its own.
void Player::on_child(Words& words, const Line&) {
  words.accept("child");
  std::string node = words.word("a node");
  if (!words.accept("as")) words.fail("child NODE as NAME");
  std::string name = words.word("a name");
  std::string found;
  for (const Value& event : shown_history(id()))
    if (event.get("type") == Value("ChildRequested") && event.get("node_id") == Value(node))
      found = std::string(event.get("execution_id").as_string());
  if (found.empty()) words.fail(node + " has started no execution");
  children_[name] = RunId(found);
  if (std::find(runs_.begin(), runs_.end(), name) == runs_.end()) runs_.push_back(name);
}

}  // namespace fermata::scenario
