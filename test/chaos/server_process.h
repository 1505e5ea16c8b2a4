#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"

namespace fermata::test {

/// A real `fermata serve` on a private port and directory, killed as roughly as a test wants.
class ServerProcess {
 public:
  explicit ServerProcess(std::filesystem::path data, std::vector<std::string> arguments = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Starts and waits until it answers; false after 30 seconds.
  bool start();
  void kill_hard();           ///< SIGKILL, and waits for the end
  int stop_softly();          ///< SIGTERM; its exit code, -1 when it did not end within 15 seconds
  int port() const { return port_; }
  const std::filesystem::path& data() const { return data_; }
  std::string log() const;

 private:
  std::filesystem::path data_;
  std::vector<std::string> arguments_;
  int port_;
  pid_t pid_ = -1;
};

struct HttpReply {
  int status = 0;  ///< 0: the connection failed or broke before a whole answer
  Value body;
};
/// One request on a connection of its own.
HttpReply request(int port, const std::string& method, const std::string& path,
                  const std::string& body = "",
                  const std::vector<std::pair<std::string, std::string>>& headers = {});

/// Runs the fermata binary to its end; exit code and what it printed.
struct Ran {
  int code = -1;
  std::string output;
};
Ran run_fermata(const std::vector<std::string>& arguments);

std::filesystem::path binary();
/// A directory of this test alone, removed at its end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fermata::test
