#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

extern char** environ;

namespace fermata::test {

/// `fermata worker` beside the test.
class WorkerProcess {
 public:
  WorkerProcess(const std::string& url, std::vector<std::string> words) {
    words.insert(words.begin(), {std::getenv("FERMATA_BINARY"), "worker", "--server", url});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, words[0].c_str(), nullptr, nullptr, arguments.data(), environ), 0);
  }
  ~WorkerProcess() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// Sends SIGTERM and answers the exit code.
  int stop() {
    kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// The exit code it ends with by itself, -1 when it does not end within half a minute.
  int ended() {
    int status = 0;
    for (int i = 0; i < 600; ++i) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      usleep(50'000);
    }
    return -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace fermata::test
