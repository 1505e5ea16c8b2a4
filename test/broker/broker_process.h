#pragma once
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "adapters/rabbitmq/rabbit_connection.h"

namespace fermata::test {

/// A RabbitMQ of our own on private ports and in a private folder, to be killed. Its port mapper is
/// a child of ours too, so that nothing is left behind.
class BrokerProcess {
 public:
  BrokerProcess() : folder_(make_folder()) {
    for (int* port : {&port_, &mapper_port_, &distribution_port_}) *port = free_port();
    std::ofstream(folder_ / "plugins") << "[].\n";
    mapper_ =
        spawn({find_mapper(), "-port", std::to_string(mapper_port_), "-address", "127.0.0.1"});
  }
  ~BrokerProcess() {
    kill_hard();
    if (mapper_ > 0) {
      ::kill(mapper_, SIGKILL);
      waitpid(mapper_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  BrokerProcess(const BrokerProcess&) = delete;
  BrokerProcess& operator=(const BrokerProcess&) = delete;

  static bool installed() { return !server_script().empty(); }

  /// Serves when this returns true; with what it held when it was killed.
  bool start() {
    launch();
    return await();
  }
  void launch() {
    std::string script = server_script();
    if (!script.empty()) pid_ = spawn({"/bin/sh", script});
  }
  bool await() const {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < deadline) {
      if (RabbitConnection::open(address(), Duration{2'000})) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  /// With everything it has started.
  void kill_hard() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  RabbitAddress address() const {
    RabbitAddress out;
    out.port = port_;
    return out;
  }
  std::string url() const { return "amqp://guest:guest@127.0.0.1:" + std::to_string(port_); }
  std::string log() const {
    std::ifstream file(folder_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static std::filesystem::path make_folder() {
    std::string name = std::filesystem::temp_directory_path() / "broker-XXXXXX";
    return mkdtemp(name.data());
  }
  static int free_port() {
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(handle, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(handle, reinterpret_cast<sockaddr*>(&address), &size);
    close(handle);
    return ntohs(address.sin_port);
  }
  /// The real script: the one in the path would change to another user.
  static std::string server_script() {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/rabbitmq/lib", none)) {
      std::filesystem::path script = entry.path() / "sbin/rabbitmq-server";
      if (std::filesystem::exists(script)) return script;
    }
    return "";
  }
  static std::string find_mapper() {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/erlang", none)) {
      std::filesystem::path mapper = entry.path() / "bin/epmd";
      if (entry.path().filename().string().starts_with("erts-") && std::filesystem::exists(mapper))
        return mapper;
    }
    return "/usr/bin/epmd";
  }
  std::vector<std::string> surroundings() const {
    std::string folder = folder_.string();
    return {"HOME=" + folder,
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "ERL_EPMD_PORT=" + std::to_string(mapper_port_),
            "ERL_EPMD_ADDRESS=127.0.0.1",
            "RABBITMQ_NODENAME=fermata@localhost",
            "RABBITMQ_NODE_PORT=" + std::to_string(port_),
            "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
            "RABBITMQ_DIST_PORT=" + std::to_string(distribution_port_),
            "RABBITMQ_MNESIA_BASE=" + folder + "/mnesia",
            "RABBITMQ_LOG_BASE=" + folder,
            "RABBITMQ_LOGS=" + folder + "/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/plugins",
            "RABBITMQ_CONFIG_FILE=" + folder + "/none",
            "RABBITMQ_CONF_ENV_FILE=" + folder + "/none-env",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 1:1"};
  }
  pid_t spawn(const std::vector<std::string>& words) const {
    std::vector<std::string> given = surroundings();
    std::vector<char*> arguments, environment;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& word : given) environment.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    std::string output = (folder_ / "output").string();
    pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    int file = open(output.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(file, 1);
    dup2(file, 2);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }

  const std::filesystem::path folder_;
  int port_ = 0, mapper_port_ = 0, distribution_port_ = 0;
  pid_t mapper_ = -1;
  pid_t pid_ = -1;
};

}  // namespace fermata::test
