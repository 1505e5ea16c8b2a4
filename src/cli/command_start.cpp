#include <filesystem>

#include "cli/remote.h"

namespace fermata::cli {
namespace {

/// A word that names a file is stored first, under the name of the file.
Outcome<std::string> workflow_of(const std::string& word, const Client& client) {
  std::filesystem::path path(word);
  bool script = path.extension() == ".flow";
  if (path.extension() != ".json" && !script) return word;
  FERMATA_TRY(text, read_file(word));
  std::string id = path.stem().string();
  FERMATA_TRY_VOID(client.put("/workflows/" + url_escaped(id), text,
                              script ? "text/x-flow" : "application/json"));
  return id;
}

Outcome<Value> start_on_server(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(
      arguments.expect(1, 1, "a WORKFLOW, or the FILE of a graph (.json) or a script (.flow)"));
  FERMATA_TRY(client, Client::from(arguments, around));
  FERMATA_TRY(input, read_input(arguments));
  FERMATA_TRY(labels, read_pairs(arguments.all("label"), "label"));
  FERMATA_TRY(version, arguments.number("version", 1));
  Value body = Value::object({{"input", input}});
  if (version) body.set("version", *version);
  Value texts = Value::object();
  for (const Value::Member& label : labels.members())
    texts.set(label.key.as_string(), text_at(labels, label.key.as_string()));
  if (texts.size() > 0) body.set("labels", texts);
  FERMATA_TRY(workflow, workflow_of(arguments.positional()[0], client));
  std::string path = "/workflows/" + url_escaped(workflow) + "/executions";
  if (auto wait = arguments.get("wait")) path += "?wait=" + url_escaped(*wait);
  return client.post(path, body);
}

/// With --wait the exit code tells how the execution ended, if it did.
Exit exit_of_status(const Value& run) {
  std::string status = text_at(run, "status");
  bool bad = status == "failed" || status == "cancelled" || status == "timed_out";
  return bad ? Exit::failed : Exit::ok;
}

Exit start(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto run = start_on_server(arguments, around);
  if (!run) return terminal.fail(run.error());
  if (terminal.json) {
    terminal.value(*run);
  } else if (!arguments.has("wait")) {
    terminal.line(text_at(*run, "id"));
  } else {
    std::string status = text_at(*run, "status");
    terminal.line(text_at(*run, "id") + "  " + terminal.paint(colour_of_status(status), status));
    if (run->find("output") != nullptr && !run->get("output").is_null())
      terminal.value(run->get("output"));
  }
  return arguments.has("wait") ? exit_of_status(*run) : Exit::ok;
}

}  // namespace

CliCommand start_command() {
  return {
      "start",
      "WORKFLOW|FILE",
      "Start an execution on a server and print its id.",
      "A file, NAME.json of a graph or NAME.flow of a script, is stored first as the workflow of "
      "its name. The id is printed once the start is durable.",
      {{"input", "JSON|@FILE", "the run's input"},
       {"set", "NAME=VALUE", "one field of the input; dots reach inside", true},
       {"version", "N", "a version other than the current one"},
       {"label", "KEY=VALUE", "a label to find it by", true},
       {"wait", "DURATION", "wait for the end, such as 10s, and show the output"},
       server_option()},
      "fermata start examples/hello.json --set name=Ada --wait 10s",
      start};
}

}  // namespace fermata::cli
