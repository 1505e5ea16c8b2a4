#include "cli/checked_file.h"
#include "cli/remote.h"
#include "core/fleet/pools.h"

namespace fermata::cli {
namespace {

Outcome<Value> act_on_pools(const Arguments& arguments, Client& client) {
  FERMATA_TRY_VOID(arguments.expect(2, 2, "check and a file, or drain or activate and a pool"));
  const std::string& action = arguments.positional()[0];
  if (action != "drain" && action != "activate")
    return fail(ErrorCode::usage, "'" + action + "' is none of check, drain, activate.");
  Value body = Value::object();
  FERMATA_TRY(timeout_ms, arguments.number("timeout-ms", 0));
  if (timeout_ms && action == "drain") body.set("timeout_ms", *timeout_ms);
  return client.post("/pools/" + url_escaped(arguments.positional()[1]) + "/" + action, body);
}

Outcome<Value> ask_pools(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY(client, Client::from(arguments, around));
  if (arguments.has("queues")) return client.get("/queues");
  if (arguments.positional().empty()) return client.get("/pools");
  return act_on_pools(arguments, client);
}

void print_pools(const Value& page, const Terminal& terminal) {
  Table table({"POOL", "STATUS", "WORKERS", "JOBS", "MOST", "BY", "TOPICS"});
  for (const Value& pool : page.get("items").items()) {
    std::string topics;
    for (const Value& topic : pool.get("topics").items())
      topics.append(topics.empty() ? "" : " ").append(topic.as_string());
    uint64_t most = number_at(pool, "max_concurrent");
    table.row({text_at(pool, "name"), text_at(pool, "status"),
               std::to_string(number_at(pool, "workers")),
               std::to_string(number_at(pool, "leases")), most > 0 ? std::to_string(most) : "-",
               text_at(pool, "managed_by"), topics});
  }
  table.print(terminal, 1);
  std::string problem = text_at(page, "problem");
  if (!problem.empty()) terminal.line("The file could not be loaded: " + problem);
}

void print_queues(const Value& queues, const Terminal& terminal) {
  Table table({"POOL", "TOPIC", "PRIORITY", "JOBS", "OLDEST", "WAITS FOR"});
  for (const Value& queue : queues.items())
    table.row({text_at(queue, "pool"), text_at(queue, "topic"), text_at(queue, "priority"),
               std::to_string(number_at(queue, "depth")),
               std::to_string(number_at(queue, "oldest_ms") / 1'000) + " s",
               text_at(queue, "reason")});
  table.print(terminal);
}

Exit check_pools_file(const std::string& path, Surroundings& around) {
  auto check = [](const Value& document, std::string& well) {
    auto reading = fleet::read_pools(document);
    size_t count = reading.table.pools.size();
    well = std::to_string(count) + (count == 1 ? " pool" : " pools");
    return std::move(reading.findings);
  };
  return check_document(path, check, around);
}

Exit pools(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  const auto& words = arguments.positional();
  if (words.size() == 2 && words[0] == "check") return check_pools_file(words[1], around);
  auto answer = ask_pools(arguments, around);
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json || !arguments.positional().empty()) {
    terminal.value(*answer);
  } else if (arguments.has("queues")) {
    print_queues(*answer, terminal);
  } else {
    print_pools(*answer, terminal);
  }
  return Exit::ok;
}

}  // namespace

CliCommand pools_command() {
  return {
      "pools",
      "[check FILE | drain|activate POOL]",
      "List pools or what waits for them, check a file of pools, or drain one.",
      "Pools and topics come from pools.yaml (setting pools_file) or from requests. What a file\n"
      "names is changed there. `check` needs no server and names every mistake with line and "
      "column.",
      {{"queues", "", "what waits, by pool, topic and priority, and what keeps it"},
       {"timeout-ms", "N", "for drain: what the pool holds after that goes elsewhere"},
       server_option()},
      "fermata pools --queues",
      pools};
}

}  // namespace fermata::cli
