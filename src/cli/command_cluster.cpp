#include "cli/remote.h"

namespace fermata::cli {
namespace {

std::string remarks_on(const Value& server) {
  std::string remarks;
  auto add = [&](std::string_view remark) {
    remarks.append(remarks.empty() ? "" : ", ").append(remark);
  };
  if (server.get("alive") != Value(true)) add("silent since " + text_at(server, "seen_at"));
  if (server.get("settings_differ") == Value(true)) add("other settings than the leader");
  return remarks;
}

Exit cluster(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(0, 0, ""); !expected) return terminal.fail(expected.error());
  auto client = Client::from(arguments, around);
  if (!client) return terminal.fail(client.error());
  auto answer = client->get("/cluster");
  if (!answer) return terminal.fail(answer.error());
  if (terminal.json) {
    terminal.value(*answer);
    return Exit::ok;
  }
  if (answer->get("shared") != Value(true)) {
    terminal.line("This server has a store of its own; there are no others.");
    return Exit::ok;
  }
  Table table({"SERVER", "ROLE", "VERSION", "CLOCK", "SINCE", "REMARKS"});
  for (const Value& server : answer->get("items").items()) {
    Value skew = server.get("clock_skew_ms");
    table.row({text_at(server, "name"), text_at(server, "role"), text_at(server, "version"),
               skew.is_null() ? "-" : std::to_string(skew.as_integer()) + " ms",
               text_at(server, "started_at"), remarks_on(server)});
  }
  table.print(terminal);
  return Exit::ok;
}

}  // namespace

CliCommand cluster_command() {
  return {
      "cluster",
      "",
      "List the servers on one store.",
      "Who leads, who follows, their versions, how far their clocks are from PostgreSQL's, and\n"
      "what is worth a look.",
      {server_option()},
      "fermata cluster",
      cluster};
}

}  // namespace fermata::cli
