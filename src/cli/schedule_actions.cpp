#include "cli/schedule_actions.h"

#include <array>

#include "cli/remote.h"

namespace fermata::cli {
namespace {

constexpr std::array<std::string_view, 8> action_names = {
    "create", "ls", "show", "pause", "resume", "trigger", "backfill", "delete"};

struct TextOption {
  std::string_view option;
  std::string_view field;
};

std::string schedule_path(const std::string& id) { return "/schedules/" + url_escaped(id); }

std::string rule_text(const Value& schedule) {
  std::string cron = text_at(schedule, "cron");
  if (!cron.empty()) return cron + " " + text_at(schedule, "timezone");
  const Value& every = schedule.get("every_ms");
  return every.is_integer() ? "every " + duration_text(every.as_integer()) : "";
}

/// The body of a creation, from the options.
Outcome<Value> creation_body(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "create and a WORKFLOW"));
  Value body = Value::object({{"workflow_id", arguments.positional()[1]}});
  for (TextOption text : {TextOption{"id", "id"},
                          {"cron", "cron"},
                          {"zone", "timezone"},
                          {"gap-policy", "gap_policy"},
                          {"overlap", "overlap"},
                          {"catch-up", "catch_up"},
                          {"start-at", "start_at"},
                          {"end-at", "end_at"}})
    if (auto value = arguments.get(text.option)) body.set(text.field, *value);
  for (TextOption number : {TextOption{"every-ms", "every_ms"},
                            {"jitter-ms", "jitter_ms"},
                            {"catch-up-ms", "catch_up_ms"},
                            {"max-runs", "max_runs"},
                            {"version", "version"}}) {
    FERMATA_TRY(value, arguments.number(number.option));
    if (value) body.set(number.field, *value);
  }
  FERMATA_TRY(input, read_input(arguments));
  body.set("input", input);
  FERMATA_TRY(labels, read_pairs(arguments.all("label"), "label"));
  Value texts = Value::object();
  for (const Value::Member& label : labels.members())
    texts.set(label.key.as_string(), text_at(labels, label.key.as_string()));
  if (texts.size() > 0) body.set("labels", texts);
  if (arguments.is_set("paused")) body.set("paused", true);
  return body;
}

Outcome<Value> backfill_body(const Arguments& arguments) {
  Value body = Value::object();
  for (std::string_view name : {"from", "to"}) {
    auto value = arguments.get(name);
    if (!value)
      return fail(ErrorCode::usage, "backfill needs --from TIME and --to TIME, RFC 3339.");
    body.set(name, *value);
  }
  if (arguments.is_set("dry-run")) body.set("dry_run", true);
  return body;
}

void print_schedules(const Value& page, const Terminal& terminal) {
  Table table({"ID", "WORKFLOW", "STATUS", "RULE", "NEXT"});
  for (const Value& one : page.get("items").items())
    table.row({text_at(one, "id"), text_at(one, "workflow_id"), text_at(one, "status"),
               rule_text(one), short_time(text_at(one, "next"))});
  table.print(terminal, 2);
  tell_of_more(page, terminal);
}

void print_schedule(const Value& schedule, const Value& occurrences, const Terminal& terminal) {
  std::string status = text_at(schedule, "status");
  terminal.line(text_at(schedule, "id") + "  " + text_at(schedule, "workflow_id") + "  " +
                terminal.paint(colour_of_status(status), status));
  terminal.line("rule      " + rule_text(schedule));
  terminal.line("overlap   " + text_at(schedule, "overlap"));
  terminal.line("catch up  " + text_at(schedule, "catch_up"));
  if (std::string next = text_at(schedule, "next"); !next.empty())
    terminal.line("next      " + short_time(next));
  terminal.line("started   " + text_at(schedule, "runs_started") + ", skipped " +
                text_at(schedule, "skipped") + ", queued " + text_at(schedule, "queued") +
                ", under way " + text_at(schedule, "live_total"));
  Table table({"SCHEDULED", "OUTCOME", "EXECUTION", "STATUS OR REASON"});
  for (const Value& one : occurrences.get("items").items()) {
    std::string why = text_at(one, "status");
    if (why.empty()) why = text_at(one, "reason");
    if (why.empty()) why = text_at(one, "message");
    if (std::string count = text_at(one, "count"); !count.empty() && count != "1")
      why += " (" + count + ")";
    table.row({short_time(text_at(one, "scheduled_at")), text_at(one, "outcome"),
               text_at(one, "execution_id"), why});
  }
  if (!table.empty()) table.print(terminal, 1);
}

Outcome<std::string> id_of(const Arguments& arguments) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, arguments.positional()[0] + " and the ID of a schedule"));
  return arguments.positional()[1];
}

/// What the server is asked, and what is shown of its answer.
class Asking {
 public:
  Asking(const Arguments& arguments, const Surroundings& around, const Client& client)
      : arguments_(arguments), terminal_(around.terminal), client_(client) {}

  Outcome<void> act(const std::string& action) {
    if (action == "create") return create();
    if (action == "ls") return list();
    FERMATA_TRY(id, id_of(arguments_));
    if (action == "show") return show(id);
    if (action == "delete") {
      FERMATA_TRY_VOID(client_.remove(schedule_path(id)));
      return said(Value::object({{"id", id}, {"deleted", true}}), id + "  deleted");
    }
    Value body = Value::object();
    if (action == "backfill") {
      FERMATA_TRY(read, backfill_body(arguments_));
      body = std::move(read);
    }
    FERMATA_TRY(answer, client_.post(schedule_path(id) + "/" + action, body));
    if (action == "trigger") return said(answer, text_at(answer, "execution_id"));
    if (action == "backfill") {
      std::string count = text_at(answer, "count");
      return said(answer, arguments_.is_set("dry-run") ? count + " occurrences"
                                                       : count + " occurrences to start");
    }
    return said(answer, id + "  " + text_at(answer, "status"));
  }

 private:
  Outcome<void> said(const Value& answer, const std::string& line) {
    terminal_.json ? terminal_.value(answer) : terminal_.line(line);
    return {};
  }

  Outcome<void> create() {
    FERMATA_TRY(body, creation_body(arguments_));
    FERMATA_TRY(made, client_.post("/schedules", body));
    return said(made, text_at(made, "id"));
  }

  Outcome<void> list() {
    FERMATA_TRY_VOID(arguments_.expect(1, 1, "ls"));
    FERMATA_TRY(limit, arguments_.number("limit", 1));
    std::string query = "?limit=" + std::to_string(limit.value_or(50));
    for (TextOption text :
         {TextOption{"status", "status"}, {"cursor", "cursor"}, {"workflow", "workflow_id"}})
      if (auto value = arguments_.get(text.option))
        query += "&" + std::string(text.field) + "=" + url_escaped(*value);
    FERMATA_TRY(page, client_.get("/schedules" + query));
    terminal_.json ? terminal_.value(page) : print_schedules(page, terminal_);
    return {};
  }

  Outcome<void> show(const std::string& id) {
    FERMATA_TRY(schedule, client_.get(schedule_path(id)));
    FERMATA_TRY(occurrences, client_.get(schedule_path(id) + "/occurrences?limit=10"));
    if (!terminal_.json) {
      print_schedule(schedule, occurrences, terminal_);
      return {};
    }
    schedule.set("occurrences", occurrences.get("items"));
    terminal_.value(schedule);
    return {};
  }

  const Arguments& arguments_;
  const Terminal& terminal_;
  const Client& client_;
};

}  // namespace

std::span<const std::string_view> schedule_actions() { return action_names; }

Exit schedule_on_server(const std::string& action, const Arguments& arguments,
                        Surroundings& around) {
  auto client = Client::from(arguments, around);
  if (!client) return around.terminal.fail(client.error());
  auto done = Asking(arguments, around, *client).act(action);
  return done ? Exit::ok : around.terminal.fail(done.error());
}

}  // namespace fermata::cli
