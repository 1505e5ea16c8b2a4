#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fermata::test {

/// A real redis-server on a private port of loopback, with its files in a private directory, killed
/// as roughly as a test wants.
class RedisProcess {
 public:
  /// `options` are those of redis-server; by default every write is logged (AOF).
  explicit RedisProcess(std::vector<std::string> options = {"--appendonly", "yes"});
  ~RedisProcess();
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;

  /// On the port it had before. False when it does not answer within 20 seconds.
  bool start();
  void kill_hard();  ///< SIGKILL, and waits for the end
  void forget();     ///< what it has written; between two lives
  void freeze();     ///< SIGSTOP
  void thaw();
  int port() const { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

 private:
  bool answers() const;

  std::vector<std::string> options_;
  std::filesystem::path folder_;
  int port_;
  pid_t pid_ = -1;
};

/// A port of loopback that was free a moment ago.
int free_port();

}  // namespace fermata::test
