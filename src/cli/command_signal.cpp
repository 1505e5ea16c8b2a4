#include "base/json.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> json_option(const Arguments& arguments, std::string_view name) {
  auto text = arguments.get(name);
  if (!text) return Value();
  Outcome<Value> parsed = parse_json(*text);
  if (!parsed)
    return fail(ErrorCode::usage, "--" + std::string(name) + ": " + parsed.error().message);
  return parsed;
}

Outcome<Value> send(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(
      arguments.expect(2, 2, "the execution's ID and the signal's NAME, or --event TYPE"));
  FERMATA_TRY(client, Client::from(arguments, around));
  Value body = Value::object();
  FERMATA_TRY(payload, json_option(arguments, "payload"));
  if (arguments.get("payload")) body.set("payload", payload);
  if (auto id = arguments.get("id")) body.set("id", *id);
  return client.post(execution_path(arguments.positional()[0]) + "/signals/" +
                         url_escaped(arguments.positional()[1]),
                     body);
}

/// To whatever waits for it: of a contact, an execution or the account.
Outcome<Value> send_event(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(0, 0, "no ID beside --event"));
  FERMATA_TRY(client, Client::from(arguments, around));
  Value body = Value::object({{"event_type", *arguments.get("event")}});
  struct Named {
    std::string_view option, field;
  };
  for (auto [option, field] : {Named{"id", "event_id"},
                               {"contact", "contact_id"},
                               {"phone", "phone"},
                               {"email", "email"},
                               {"execution", "execution_id"},
                               {"correlation", "correlation_id"}})
    if (auto given = arguments.get(option)) body.set(field, *given);
  FERMATA_TRY(data, json_option(arguments, "payload"));
  if (!data.is_null()) body.set("data", data);
  return client.post("/events", body);
}

Exit tell_event(const Terminal& terminal, const Value& answer) {
  struct Kind {
    const char *list, *one, *many;
  };
  std::string reached;
  for (auto [list, one, many] : {Kind{"goals", " goal", " goals"},
                                 {"waits", " wait", " waits"},
                                 {"triggers", " execution started", " executions started"}}) {
    size_t count = answer.get("matched").get(list).size();
    if (count == 0) continue;
    reached += (reached.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? one : many);
  }
  if (reached.empty()) reached = "nothing";
  terminal.line(text_at(answer, "status") + "; " + text_at(answer, "event_id") + " reached " +
                reached);
  if (answer.get("warnings").is_array())
    for (const Value& warning : answer.get("warnings").items())
      terminal.line("warning: " + std::string(warning.as_string()));
  return Exit::ok;
}

Exit signal(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool event = arguments.get("event").has_value();
  auto answer = event ? send_event(arguments, around) : send(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (event && !terminal.json) return tell_event(terminal, *answer);
  if (terminal.json) {
    terminal.value(*answer);
  } else {
    terminal.line("sent; " + text_at(*answer, "id") + " is " + text_at(*answer, "status"));
  }
  return Exit::ok;
}

}  // namespace

CliCommand signal_command() {
  return {
      "signal",
      "[ID NAME]",
      "Send a signal to an execution, or an event to whatever waits for it.",
      "A wait_for_signal node of that name goes on with it; one that comes too early is kept. "
      "With --event, goals end executions, waits that listen go on and triggers start workflows.",
      {{"payload", "JSON", "what the signal carries"},
       {"id", "TEXT", "a name of the signal itself: repeats under the same one count once"},
       {"event", "TYPE", "tell of an event, such as email_open, instead"},
       {"contact", "ID", "whom the event is about"},
       {"phone", "NUMBER", "the same by phone"},
       {"email", "ADDRESS", "the same by mail"},
       {"execution", "ID", "the one execution that the event is for"},
       {"correlation", "ID", "what the event belongs to, such as a message"},
       server_option()},
      "fermata signal 0198c1f2-… paid --payload '{\"amount\": 12}'",
      signal};
}

}  // namespace fermata::cli
