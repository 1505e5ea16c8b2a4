#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "bench/cluster.h"
#include "bench/connection.h"
#include "test/support/redis_process.h"

/// (f) Several servers on one store, as they are operated: processes, spoken to over HTTP.
namespace fermata::bench {

namespace {

constexpr const char* instant_workflow =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"a","type":"noop"},
                 {"id":"b","type":"noop"}],
        "edges":[{"id":"e1","src":"t","dst":"a"},{"id":"e2","src":"a","dst":"b"}]})";

std::filesystem::path program() {
  if (const char* given = std::getenv("FERMATA_BINARY")) return given;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fermata";
}

/// One `fermata serve`, ended with this object.
class ServerOfMany {
 public:
  ServerOfMany(const std::string& schema, int number) : port_(test::free_port()) {
    std::string data = fresh_directory("replica-" + std::to_string(number)).string();
    std::vector<std::string> words = {program().string(),
                                      "serve",
                                      "--listen",
                                      "127.0.0.1:" + std::to_string(port_),
                                      "--data",
                                      data,
                                      "--store",
                                      postgres_url(),
                                      "--postgres-schema",
                                      schema};
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int log = open((data + "/log").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(log, 1);
    dup2(log, 2);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  ~ServerOfMany() {
    ::kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  ServerOfMany(const ServerOfMany&) = delete;
  ServerOfMany& operator=(const ServerOfMany&) = delete;
  uint16_t port() const { return static_cast<uint16_t>(port_); }
  /// Serves, and does not only stand by.
  bool is_ready() const {
    std::string command =
        "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:" + std::to_string(port_) +
        "/readyz 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    char code[8] = {};
    bool read = pipe && std::fgets(code, sizeof code, pipe);
    if (pipe) pclose(pipe);
    return read && std::string(code) == "200";
  }

 private:
  int port_;
  pid_t pid_ = -1;
};

void put_workflow(uint16_t port) {
  std::string command = "curl -s -o /dev/null -X PUT -H 'Content-Type: application/json' -d '" +
                        std::string(instant_workflow) +
                        "' http://127.0.0.1:" + std::to_string(port) + "/api/v1/workflows/bench";
  if (std::system(command.c_str()) != 0) std::exit(5);
}

}  // namespace

void measure_cluster_replicas() {
  section("(f) executions of three instant nodes over HTTP, by servers on one store");
  if (!std::filesystem::exists(program())) {
    std::printf("  %s is not built; FERMATA_BINARY may name it\n", program().c_str());
    return;
  }
  int round = 0;
  for (size_t replicas : {1, 2, 4}) {
    std::string schema = "replicas" + std::to_string(++round);
    std::vector<std::unique_ptr<ServerOfMany>> servers;
    for (size_t i = 0; i < replicas; ++i)
      servers.push_back(std::make_unique<ServerOfMany>(schema, static_cast<int>(i)));
    std::vector<uint16_t> ready;
    auto begin = std::chrono::steady_clock::now();
    while (ready.size() < replicas && seconds_since(begin) < 15) {
      ready.clear();
      for (const auto& server : servers)
        if (server->is_ready()) ready.push_back(server->port());
      usleep(100'000);
    }
    if (ready.empty()) {
      std::printf("  no server came up\n");
      return;
    }
    put_workflow(ready.front());
    constexpr size_t connections = 32;
    size_t each = scaled(8'000) / connections + 1;
    std::atomic<uint64_t> answered{0};
    std::vector<std::thread> threads;
    begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < connections; ++i)
      threads.emplace_back([&, port = ready[i % ready.size()]] {
        Client client(port);
        for (size_t n = 0; n < each; ++n)
          if (client.post("/api/v1/workflows/bench/executions", R"({"input":{"order":17}})")
                  .status == 201)
            ++answered;
      });
    for (std::thread& thread : threads) thread.join();
    report(std::to_string(replicas) + " servers, " + std::to_string(ready.size()) +
               " of them serving, 32 connections",
           static_cast<double>(answered) / seconds_since(begin), "runs/s");
  }
}

}  // namespace fermata::bench
