#include "base/json.h"
#include "cli/progress.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

void line_if(const Terminal& terminal, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  std::string left(name);
  left.resize(std::max<size_t>(12, left.size() + 1), ' ');
  terminal.line(terminal.paint(Colour::dim, left) + text);
}

void show_waiting(const Value& waiting, const Terminal& terminal) {
  if (!waiting.is_array() || waiting.size() == 0) return;
  terminal.line("");
  Table table({"WAITING AT", "FOR", "SINCE", "UNTIL"});
  for (const Value& each : waiting.items()) {
    std::string count = text_at(each, "count");
    table.row({text_at(each, "node") + (count.empty() ? "" : " ×" + count), text_at(each, "kind"),
               short_time(text_at(each, "since")), short_time(text_at(each, "until"))});
  }
  table.print(terminal);
}

void show_run(const Value& run, const Terminal& terminal) {
  std::string status = text_at(run, "status");
  line_if(terminal, "id", text_at(run, "id"));
  line_if(terminal, "workflow", text_at(run, "workflow_id") + "@" + text_at(run, "version"));
  line_if(terminal, "status", terminal.paint(colour_of_status(status), status));
  line_if(terminal, "started", text_at(run, "started_at"));
  line_if(terminal, "ended", text_at(run, "completed_at"));
  line_if(terminal, "reason", text_at(run, "exit_reason"));
  const Value& progress = run.get("progress");
  const Value& planned = progress.get("planned");
  const Value& done = progress.get("done");
  // A script has no nodes; it may tell how far it is.
  bool script = run.get("language") == Value("flow");
  if (planned.is_number() && done.is_number() && planned.as_number() > 0)
    line_if(terminal, "progress",
            "[" +
                bar(static_cast<uint64_t>(std::max(0.0, done.as_number())),
                    static_cast<uint64_t>(planned.as_number()), 20) +
                "] " + text_at(progress, "done") + " of " + text_at(progress, "planned") +
                (script ? "" : " nodes"));
  if (const Value& schedule = run.get("schedule"); schedule.is_object())
    line_if(terminal, "schedule",
            text_at(schedule, "id") + " at " + text_at(schedule, "scheduled_at"));
  if (run.get("labels").size() > 0) line_if(terminal, "labels", to_json(run.get("labels")));
  if (!run.get("origin").is_null())
    line_if(terminal, "origin",
            text_at(run.get("origin"), "kind") + " of " + text_at(run.get("origin"), "run"));
  show_waiting(run.get("waiting"), terminal);
  for (const char* part : {"input", "output", "error"}) {
    const Value& value = run.get(part);
    if (value.is_null()) continue;
    terminal.line("\n" + terminal.paint(Colour::bold, part));
    terminal.value(value);
  }
}

void show_snapshot(const Value& shown, const Terminal& terminal) {
  line_if(terminal, "id", text_at(shown, "id"));
  line_if(terminal, "bytes", text_at(shown, "bytes"));
  for (const Value& fiber : shown.get("fibers").items()) {
    std::string awaits = text_at(fiber, "awaiting");
    terminal.line("\n" + terminal.paint(Colour::bold, text_at(fiber, "fiber")) +
                  (awaits.empty() ? "" : " waits for " + awaits));
    for (const Value& frame : fiber.get("frames").items()) {
      terminal.line("  " + text_at(frame, "function") + ":" + text_at(frame, "line") + ":" +
                    text_at(frame, "column"));
      for (const Value::Member& variable : frame.get("variables").members())
        terminal.line("    " + std::string(variable.key.as_string()) + " = " +
                      to_json(variable.value));
    }
  }
}

Outcome<Value> find_run(const Arguments& arguments, const Surroundings& around,
                        std::string_view part) {
  FERMATA_TRY_VOID(arguments.expect(1, 1, "the execution's ID (see `fermata ps`)"));
  FERMATA_TRY(client, Client::from(arguments, around));
  return client.get(execution_path(arguments.positional()[0]) + std::string(part));
}

Exit show(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool snapshot = arguments.is_set("snapshot");
  auto run = find_run(arguments, around, snapshot ? "/snapshot" : "");
  if (!run) return terminal.fail(run.error());
  if (terminal.json) {
    terminal.value(*run);
  } else if (snapshot) {
    show_snapshot(*run, terminal);
  } else {
    show_run(*run, terminal);
  }
  return Exit::ok;
}

}  // namespace

CliCommand show_command() {
  return {"show",
          "ID",
          "Show one execution: status, progress, what it waits for, input and output.",
          "",
          {{"snapshot", "", "what a parked script holds: fibers, frames, lines and variables"},
           server_option()},
          "fermata show 0198c1f2-…",
          show};
}

}  // namespace fermata::cli
