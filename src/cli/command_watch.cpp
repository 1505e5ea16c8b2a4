#include <time.h>

#include "cli/progress.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

constexpr int reconnects_max = 30;

bool is_end(const std::string& status) {
  return status == "completed" || status == "failed" || status == "cancelled" ||
         status == "timed_out";
}

/// Follows the stream across restarts of the server until the run has ended.
Outcome<std::string> follow(const Client& client, const std::string& id, Progress& progress) {
  std::string status;
  std::string last_id;
  int failures = 0;
  while (true) {
    auto read = client.stream(execution_path(id) + "/stream", last_id,
                              [&](const Client::StreamEvent& event) {
                                failures = 0;
                                if (!event.id.empty()) last_id = event.id;
                                progress.show(event.event, event.data);
                                if (event.event == "run") status = text_at(event.data, "status");
                                return true;
                              });
    if (is_end(status)) return status;
    // Before anything was seen a failure is the answer; after that the server may come back.
    bool lasting = !read && exit_of(read.error()) != Exit::unavailable;
    if (!read && (lasting || last_id.empty() || ++failures > reconnects_max))
      return Failure{read.error()};
    if (read) {
      // Nothing more to tell, or cut off as too slow: what the run is now decides.
      FERMATA_TRY(run, client.get(execution_path(id)));
      status = text_at(run, "status");
      if (is_end(status)) return status;
    }
    timespec pause{0, 500'000'000};
    nanosleep(&pause, nullptr);
  }
}

Exit watch(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  if (auto expected = arguments.expect(1, 1, "the execution's ID (see `fermata ps`)"); !expected)
    return terminal.fail(expected.error());
  auto client = Client::from(arguments, around);
  if (!client) return terminal.fail(client.error());
  Progress progress(terminal, terminal.json);
  auto status = follow(*client, arguments.positional()[0], progress);
  progress.clear();
  if (!status) return terminal.fail(status.error());
  return *status == "completed" ? Exit::ok : Exit::failed;
}

}  // namespace

CliCommand watch_command() {
  return {"watch",
          "ID",
          "Show an execution live until it ends.",
          "Begins with what has already happened, and finds its place again when the server "
          "restarts. With --json one record on each line. Exits with 0 when the execution "
          "completes, else with 1.",
          {server_option()},
          "fermata watch 0198c1f2-…",
          watch};
}

}  // namespace fermata::cli
