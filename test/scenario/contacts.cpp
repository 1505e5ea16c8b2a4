#include "base/check.h"
#include "base/json.h"
#include "front/contact_request.h"
#include "front/rules_request.h"
#include "test/scenario/player.h"

/// What a scenario does with contacts, settings of the account and a workflow that is switched off.
namespace fermata::scenario {

namespace {

constexpr int orders_max = 20;

ContactKey key_of(const std::string& name) { return {AccountId("acme"), name}; }

OnInactive choice_of(Words& words) {
  std::string word = words.word("active, keep, standard, cancel or hold");
  for (auto choice : {OnInactive::active, OnInactive::keep, OnInactive::standard,
                      OnInactive::cancel, OnInactive::hold})
    if (name_of(choice) == word) return choice;
  words.fail("a workflow is active, or keeps, cancels or holds its waits");
}

WorkflowRules& rules_of(World& world, const std::string& workflow) {
  std::pair key(AccountId("acme"), WorkflowId(workflow));
  WorkflowRules& rules = world.accounts().rules[key];
  rules.account = key.first;
  rules.workflow = key.second;
  return rules;
}

}  // namespace

Outcome<ContactTold> World::tell_contact(const contact::Command& command) {
  for (int tries = 0; tries < orders_max; ++tries) {
    auto box = std::make_shared<std::optional<Outcome<ContactTold>>>();
    check(host_->submit_contact(
        command, [box](Outcome<ContactTold> told) { box->emplace(std::move(told)); }));
    settle();
    bool broken = *box && !**box &&
                  ((*box)->error().code == ErrorCode::store_unavailable ||
                   (*box)->error().code == ErrorCode::outcome_unknown);
    if (*box && !(manner_.heals && broken)) return std::move(**box);
  }
  throw Mistake{0, "a contact never answers"};
}

/// `contact NAME {…}`, `contact NAME change {…}`, or `contact NAME opt-out|opt-in|delete|remove`.
void Player::on_contact(Words& words, const Line&) {
  words.accept("contact");
  contact::Command command{key_of(words.word("a contact's name")), {}, "tester"};
  bool changes = words.accept("change");
  if (words.at_json()) {
    auto read = front::read_contact(words.json("a contact"), !changes);
    if (!read) words.fail("the contact is wrong: " + read.error().message);
    command.body = *std::move(read);
  } else {
    std::string verb = words.word("opt-out, opt-in, delete or remove");
    if (verb == "opt-out")
      command.body = contact::OptOut{{}, "STOP"};
    else if (verb == "opt-in")
      command.body = contact::OptIn{};
    else if (verb == "delete")
      command.body = contact::DeleteContact{};
    else if (verb == "remove")
      command.body = contact::RemoveFromWorkflow{WorkflowId("scenario"), ""};
    else
      words.fail("a contact takes JSON, change, opt-out, opt-in, delete and remove");
  }
  words.end();
  for (int copy = 0; copy < (manner_.repeats ? 2 : 1); ++copy) {
    auto told = world_->tell_contact(command);
    // Asked again after a crash, a deletion finds nobody.
    bool again = copy > 0 || manner_.heals;
    bool gone = !told && told.error().code == ErrorCode::contact_not_found && again;
    if (!told && !gone) words.fail("the contact refuses: " + told.error().message);
  }
}

/// `settings {…}`: in force from the next turn on.
void Player::on_settings(Words& words, const Line&) {
  words.accept("settings");
  auto read = read_account_settings(words.json("settings"), nullptr);
  if (!read) words.fail("the settings are wrong: " + read.error().front().message);
  words.end();
  world_->accounts().settings[AccountId("acme")] =
      std::make_shared<const AccountSettings>(*std::move(read));
}

/// `workflow active|keep|standard|cancel|hold`: the rule alone, without the sweep that follows.
void Player::on_workflow(Words& words, const Line&) {
  words.accept("workflow");
  WorkflowRules& rules = rules_of(*world_, "scenario");
  rules.inactive = choice_of(words);
  words.end();
}

/// `goals {…}` of the scenario's runs; `triggers NAME […]` of the graph of that name.
void Player::on_rules(Words& words, const Line&) {
  bool goals = words.accept("goals");
  if (!goals) words.accept("triggers");
  std::string workflow = goals ? "scenario" : words.word("a graph");
  Value given = words.json("the rules");
  words.end();
  auto read = goals ? front::read_goals(given, {}) : front::read_triggers(given, {});
  if (!read) words.fail("the rules are wrong: " + read.error().message);
  WorkflowRules& rules = rules_of(*world_, workflow);
  (goals ? rules.goals : rules.triggers) = *std::move(read);
  index_rules(world_->accounts());
}

}  // namespace fermata::scenario
