#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> act_on_workers(const Arguments& arguments, Client& client) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "show, drain, undrain or revoke and the id of a worker"));
  const std::string& action = arguments.positional()[0];
  std::string path = "/workers/" + url_escaped(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  if (action != "drain" && action != "undrain" && action != "revoke")
    return fail(ErrorCode::usage, "'" + action + "' is none of show, drain, undrain, revoke.");
  Value body = Value::object();
  FERMATA_TRY(timeout_ms, arguments.number("timeout-ms", 0));
  if (timeout_ms && action == "drain") body.set("timeout_ms", *timeout_ms);
  return client.post(path + "/" + action, body);
}

Outcome<Value> ask_workers(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  if (arguments.positional().empty()) return client.get("/workers");
  return act_on_workers(arguments, client);
}

void print_workers(const Value& page, const Terminal& terminal) {
  Table table({"WORKER", "POOL", "STATUS", "JOBS", "SLOTS", "CPU", "SEEN"});
  for (const Value& worker : page.get("items").items())
    table.row({text_at(worker, "worker_id"), text_at(worker, "pool"), text_at(worker, "status"),
               std::to_string(number_at(worker, "active")),
               std::to_string(number_at(worker, "max_parallel")),
               to_json(worker.get("load").get("cpu_load")) + " %",
               short_time(text_at(worker, "last_seen_at"))});
  table.print(terminal, 2);
}

Exit workers(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto answer = ask_workers(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json || !arguments.positional().empty()) {
    terminal.value(*answer);
  } else {
    print_workers(*answer, terminal);
  }
  return Exit::ok;
}

}  // namespace

CliCommand workers_command() {
  return {"workers",
          "[show|drain|undrain|revoke ID]",
          "List workers, or look at one, drain it or send it away.",
          "A worker that drains gets nothing more and finishes what it holds; after --timeout-ms\n"
          "the rest goes to others. One that is revoked loses its jobs at once.",
          {{"timeout-ms", "N", "for drain: time to finish"}, server_option()},
          "fermata workers drain crane-7 --timeout-ms 60000",
          workers};
}

}  // namespace fermata::cli
