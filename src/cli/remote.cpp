#include "cli/remote.h"

#include "base/json.h"

namespace fermata::cli {
namespace {

struct Reached {
  Client client;
  std::string id;
};

Outcome<Reached> reach(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(1, 1, "the execution's ID (see `fermata ps`)"));
  FERMATA_TRY(client, Client::from(arguments, around));
  return Reached{std::move(client), arguments.positional()[0]};
}

std::string joined(const Value& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const Value& each : list.items()) text += (text.empty() ? "" : ", ") + to_text(each);
  return text;
}

void show_plan(const Value& plan, const Terminal& terminal) {
  Table table({"PLAN", "NODES"});
  for (const char* key : {"repeat", "reuse", "cancel", "warnings"})
    table.row({key, joined(plan.get(key))});
  table.print(terminal);
}

}  // namespace

std::string execution_path(const std::string& id) { return "/executions/" + url_escaped(id); }

Option dry_run_option() {
  return {"dry-run", "", "only show which nodes would be repeated, reused and cancelled"};
}

uint64_t number_at(const Value& object, std::string_view key) {
  const Value& found = object.get(key);
  return found.is_integer() && found.as_integer() > 0 ? static_cast<uint64_t>(found.as_integer())
                                                      : 0;
}

std::string text_at(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found == nullptr || found->is_null() ? "" : to_text(*found);
}

void tell_of_more(const Value& page, const Terminal& terminal) {
  std::string next = text_at(page, "next_cursor");
  if (!next.empty()) terminal.err("There are more: add --cursor " + next + "\n");
}

std::string short_time(const std::string& at) {
  if (at.size() < 19) return at;
  std::string text = at.substr(0, 19);
  text[10] = ' ';
  return text;
}

Exit act(const Arguments& arguments, Surroundings& around, std::string_view action,
         const Value& body) {
  const Terminal& terminal = around.terminal;
  auto reached = reach(arguments, around);
  if (!reached) return terminal.fail(reached.error());
  auto answer = reached->client.post(execution_path(reached->id) + "/" + std::string(action), body);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
    return Exit::ok;
  }
  std::string status = text_at(*answer, "status");
  terminal.line(reached->id + " is " + terminal.paint(colour_of_status(status), status));
  return Exit::ok;
}

Exit restart(const Arguments& arguments, Surroundings& around, std::string_view action,
             const Value& body) {
  const Terminal& terminal = around.terminal;
  auto reached = reach(arguments, around);
  if (!reached) return terminal.fail(reached.error());
  bool dry = arguments.is_set("dry-run");
  std::string path = execution_path(reached->id) + "/" + std::string(action);
  auto answer = reached->client.post(path + (dry ? "?dry_run=true" : ""), body);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
  } else if (dry) {
    show_plan(*answer, terminal);
  } else {
    terminal.line(text_at(*answer, "id"));
  }
  return Exit::ok;
}

}  // namespace fermata::cli
