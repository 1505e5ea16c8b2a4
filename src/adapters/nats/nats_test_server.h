#pragma once
#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace fermata {

/// A real nats-server on a private port and directory, for tests that kill it.
class NatsTestServer {
 public:
  explicit NatsTestServer(bool jetstream = true) : jetstream_(jetstream), port_(free_port()) {
    char name[] = "/tmp/fermata-nats-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~NatsTestServer() {
    kill_hard();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  NatsTestServer(const NatsTestServer&) = delete;
  NatsTestServer& operator=(const NatsTestServer&) = delete;

  static bool installed() { return std::system("command -v nats-server >/dev/null 2>&1") == 0; }

  /// On the port it had before. False when it does not answer within 20 seconds.
  bool start() {
    std::vector<std::string> words = {"nats-server",
                                      "-a",
                                      "127.0.0.1",
                                      "-p",
                                      std::to_string(port_),
                                      "-l",
                                      (directory_ / "log").string()};
    if (jetstream_) words.insert(words.end(), {"-js", "-sd", (directory_ / "store").string()});
    pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      // It ends with the test, however that ends.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      if (answers()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  void kill_hard() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  int port() const { return port_; }
  std::string url() const { return "nats://127.0.0.1:" + std::to_string(port_); }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }
  static int free_port() {
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    (void)bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
    (void)getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    close(socket);
    return ntohs(address.sin_port);
  }
  bool answers() const {
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(port_);
    bool there = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(socket);
    return there;
  }

  const bool jetstream_;
  const int port_;
  std::filesystem::path directory_;
  pid_t pid_ = -1;
};

}  // namespace fermata
