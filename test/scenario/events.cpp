#include "base/json.h"
#include "core/wait/event_types.h"
#include "test/scenario/player.h"

/// Signals to contacts, runs and the account.
namespace fermata::scenario {

/// `event TYPE [DATA] [contact C] [run NAME] [correlation K] [id ID]`
void Player::on_event(Words& words, const Line&) {
  words.accept("event");
  Signal signal;
  signal.account = AccountId("acme");
  signal.type = *waits::run_signal_named(words.word("a type"));
  if (words.at_json()) signal.data = words.json("data");
  signal.id = "event-" + std::to_string(++signals_);
  std::optional<RunId> run;
  while (!words.empty()) {
    std::string option = words.word("an option");
    if (option == "contact")
      signal.contact_id = words.word("a contact");
    else if (option == "run")
      run = id_of(words.word("a run"));
    else if (option == "correlation")
      signal.correlation_id = words.word("a correlation");
    else if (option == "id")
      signal.id = words.word("an id");
    else
      words.fail("event takes contact, run, correlation and id, not " + option);
  }
  std::vector<Signal> signals;
  if (run && manner_.repeats) {
    signals.push_back(signal);
    signals.back().run = twin_of(*run);
    signals.back().id += "-twin";
  }
  if (run) signal.run = *run;
  signals.push_back(std::move(signal));
  for (int copies = manner_.repeats ? 2 : 1; copies > 0; --copies) world_->tell(signals);
}

/// `signal ID /pointer V`: what an event has come to.
void Player::expect_signal(Words& words) {
  std::string id = words.word("an id");
  auto found = world_->store().find_signal({AccountId("acme"), id});
  if (!found || !*found) words.fail("there is no signal " + id);
  Value shown = to_value(whole_reach(**found));
  shown.set("open", (*found)->open);
  expect_at(words, "signal", shown);
}

}  // namespace fermata::scenario
