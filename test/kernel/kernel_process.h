#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fermata::test {

/// A real policy kernel (test/kernel/reference) in a process of its own, to be killed and stopped.
class KernelProcess {
 public:
  /// Every job it is asked about is a line of `log`.
  explicit KernelProcess(std::filesystem::path log, std::vector<std::string> tls = {})
      : log_(std::move(log)), tls_(std::move(tls)) {}
  ~KernelProcess() { kill_hard(); }
  KernelProcess(const KernelProcess&) = delete;
  KernelProcess& operator=(const KernelProcess&) = delete;

  /// On the port it had before, once it had one. False when it does not serve within 20 seconds.
  bool start(const std::string& snapshot = "k1") {
    const char* given = std::getenv("FERMATA_KERNEL");
    std::vector<std::string> words = {given ? given : "build/release/fermata_kernel",
                                      "127.0.0.1:" + std::to_string(port_), snapshot,
                                      log_.string()};
    words.insert(words.end(), tls_.begin(), tls_.end());
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return false;
    pid_ = spawn(words, pipe_ends[1]);
    close(pipe_ends[1]);
    std::string line;
    pollfd readable{pipe_ends[0], POLLIN, 0};
    char byte = 0;
    while (poll(&readable, 1, 20'000) == 1 && read(pipe_ends[0], &byte, 1) == 1 && byte != '\n')
      line += byte;
    close(pipe_ends[0]);
    if (byte == '\n') port_ = std::stoi(line);
    return byte == '\n' && port_ > 0;
  }
  void kill_hard() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void freeze() { ::kill(pid_, SIGSTOP); }
  void thaw() { ::kill(pid_, SIGCONT); }
  std::string url() const { return "grpc://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  size_t asked() const {
    std::ifstream file(log_);
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

 private:
  static pid_t spawn(const std::vector<std::string>& words, int output) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = fork();
    if (pid != 0) return pid;
    dup2(output, 1);
    execv(arguments[0], arguments.data());
    _exit(127);
  }

  std::filesystem::path log_;
  std::vector<std::string> tls_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace fermata::test
