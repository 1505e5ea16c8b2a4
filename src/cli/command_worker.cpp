#include <unistd.h>

#include <csignal>

#include "cli/job_worker.h"

namespace fermata::cli {
namespace {

constexpr uint64_t slots_max = 256;

std::string default_name() {
  char host[256] = "worker";
  gethostname(host, sizeof host - 1);
  return std::string(host) + "-" + std::to_string(getpid());
}

std::string full_topic(const std::string& name) {
  return name.starts_with("job.") ? name : "job." + name;
}

Outcome<WorkerOptions> options_of(const Arguments& arguments, const Surroundings& around) {
  FERMATA_TRY_VOID(arguments.expect(0, 0, ""));
  WorkerOptions options;
  options.name = arguments.get("name").value_or(default_name());
  options.pool = arguments.get("pool").value_or("default");
  FERMATA_TRY(slots, arguments.number("slots", 1));
  if (slots.value_or(1) > slots_max)
    return fail(ErrorCode::usage, "--slots: at most " + std::to_string(slots_max));
  options.slots = static_cast<uint32_t>(slots.value_or(1));
  for (const std::string& task : arguments.all("task")) {
    size_t equals = task.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == task.size())
      return fail(ErrorCode::usage, "--task: NAME='COMMAND' is expected, not `" + task + "`");
    std::string topic = full_topic(task.substr(0, equals));
    if (!options.tasks.emplace(topic, task.substr(equals + 1)).second)
      return fail(ErrorCode::usage, "--task: `" + topic + "` is given twice");
  }
  if (options.tasks.empty())
    return fail(ErrorCode::usage, "--task NAME='COMMAND' is needed at least once");
  options.capabilities = arguments.all("capability");
  for (const std::string& variable : around.environment)
    if (!variable.starts_with("FERMATA_KEY=")) options.environment.push_back(variable);
  return options;
}

Exit worker(const Arguments& arguments, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto options = options_of(arguments, around);
  if (!options) return terminal.fail(options.error());
  auto client = Client::from(arguments, around);
  if (!client) return terminal.fail(client.error());
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::string name = options->name;
  std::string pool = options->pool;
  JobWorker running(*client, *std::move(options), terminal);
  if (auto started = running.start(); !started) return terminal.fail(started.error());
  terminal.err("worker " + name + " of pool " + pool + " waits for jobs\n");
  std::atomic<bool> over{false};
  std::thread listener([&] {
    timespec look{0, 200'000'000};
    while (!over)
      if (sigtimedwait(&signals, nullptr, &look) > 0) running.drain();
  });
  auto ended = running.wait();
  over = true;
  listener.join();
  if (!ended) return terminal.fail(ended.error());
  return Exit::ok;
}

}  // namespace

CliCommand worker_command() {
  return {"worker",
          "",
          "Do jobs by running a shell command for each.",
          "The command gets the job's input as JSON on its standard input and writes its output "
          "as JSON. Exit 0 is success, 75 a failure that another attempt may cure, 100 one that "
          "ends the whole execution, anything else a failure that the retry policy judges. The "
          "environment holds FERMATA_JOB_ID, FERMATA_JOB_ATTEMPT, FERMATA_JOB_IDEMPOTENCY_KEY and "
          "FERMATA_JOB_DEADLINE. SIGTERM takes no more jobs and waits for those under way.",
          {{"task", "NAME=COMMAND", "the command for jobs of this topic", true},
           {"pool", "NAME", "the pool it works in (default)"},
           {"slots", "N", "jobs at once (1)"},
           {"name", "TEXT", "the worker's id; else host and process"},
           {"capability", "NAME", "what it can do, for jobs that require it", true},
           server_option()},
          "fermata worker --pool img --slots 4 --task resize='./resize.sh'",
          worker};
}

}  // namespace fermata::cli
