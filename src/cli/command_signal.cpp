#include "base/json.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> send(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "the execution's ID and the signal's NAME"));
  FERMATA_TRY(client, Client::from(arguments, around));
  Value body = Value::object();
  if (auto payload = arguments.get("payload")) {
    Outcome<Value> parsed = parse_json(*payload);
    if (!parsed) return fail(ErrorCode::usage, "--payload: " + parsed.error().message);
    body.set("payload", *parsed);
  }
  if (auto id = arguments.get("id")) body.set("id", *id);
  return client.post(execution_path(arguments.positional()[0]) + "/signals/" +
                         url_escaped(arguments.positional()[1]),
                     body);
}

Exit signal(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto answer = send(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
  } else {
    terminal.line("sent; " + text_at(*answer, "id") + " is " + text_at(*answer, "status"));
  }
  return Exit::ok;
}

}  // namespace

CliCommand signal_command() {
  return {"signal",
          "ID NAME",
          "Send a signal to an execution.",
          "A wait_for_signal node of that name goes on with it; one that comes too early is kept.",
          {{"payload", "JSON", "what the signal carries"},
           {"id", "TEXT", "a name of the signal itself: repeats under the same one count once"},
           server_option()},
          "fermata signal 0198c1f2-… paid --payload '{\"amount\": 12}'",
          signal};
}

}  // namespace fermata::cli
