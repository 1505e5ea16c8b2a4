#include "cli/remote.h"

namespace fermata::cli {
namespace {

Outcome<Value> act(const Arguments& arguments, const Client& client) {
  const std::string& action = arguments.positional()[0];
  if (action == "queues") {
    FERMATA_TRY_VOID(arguments.expect(1, 1, "queues alone"));
    return client.get("/queues");
  }
  FERMATA_TRY_VOID(arguments.expect(2, 2, "an action and the id of a worker"));
  std::string path = "/workers/" + url_escaped(arguments.positional()[1]);
  if (action == "show") return client.get(path);
  for (std::string_view known : {"drain", "undrain", "revoke"})
    if (action == known) return client.post(path + "/" + action, Value::object());
  return fail(ErrorCode::usage,
              "'" + action + "' is none of show, drain, undrain, revoke, queues.");
}

void print_list(const Value& page, const Terminal& terminal) {
  Table table({"WORKER", "POOL", "STATUS", "JOBS", "SLOTS", "TOPICS", "SEEN"});
  for (const Value& worker : page.get("items").items()) {
    std::string topics;
    for (const Value& topic : worker.get("topics").items())
      if (topic.is_string()) topics.append(topics.empty() ? "" : ",").append(topic.as_string());
    table.row({text_at(worker, "worker_id"), text_at(worker, "pool"), text_at(worker, "status"),
               text_at(worker, "active"), text_at(worker, "max_parallel"), topics,
               short_time(text_at(worker, "last_seen_at"))});
  }
  table.print(terminal, 2);
  tell_of_more(page, terminal);
}

Exit workers(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  bool lists = arguments.positional().empty();
  auto answer = [&]() -> Outcome<Value> {
    FERMATA_TRY(client, Client::from(arguments, around));
    return lists ? client.get("/workers") : act(arguments, client);
  }();
  if (!answer) return terminal.fail(answer.error());
  if (lists && !terminal.json) {
    print_list(*answer, terminal);
  } else {
    terminal.value(*answer);
  }
  return Exit::ok;
}

}  // namespace

CliCommand workers_command() {
  return {"workers",
          "[show|drain|undrain|revoke ID | queues]",
          "List workers, look at one, or give it no more jobs.",
          "`drain` lets a worker finish what it holds; `revoke` ends its leases, and its jobs go "
          "to others at once. `queues` shows what waits for workers.",
          {server_option()},
          "fermata workers queues",
          workers};
}

}  // namespace fermata::cli
