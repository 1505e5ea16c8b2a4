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
  /// The log goes to `log`, or beside the data.
  explicit ServerProcess(std::filesystem::path data, std::vector<std::string> arguments = {},
                         std::filesystem::path log = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Starts and waits until it answers; false when it ends before, or after 30 seconds.
  bool start();
  void launch();                   ///< starts, without waiting
  void freeze();                   ///< SIGSTOP
  void thaw();                     ///< SIGCONT
  std::optional<int> await_end();  ///< its exit code, if it ends by itself within 30 seconds
  void kill_hard();                ///< SIGKILL, and waits for the end
  int stop_softly();  ///< SIGTERM; its exit code, -1 when it did not end within 15 seconds
  int port() const { return port_; }
  const std::filesystem::path& data() const { return data_; }
  /// What it has logged so far, and how its last life ended by itself.
  std::string log() const;

 private:
  std::filesystem::path data_;
  std::vector<std::string> arguments_;
  std::filesystem::path log_;
  int port_;
  pid_t pid_ = -1;
  std::string end_;
};

struct HttpReply {
  int status = 0;  ///< 0: the connection failed or broke before a whole answer
  Value body;
  std::string head;  ///< status line and headers as they came
  std::string text;  ///< the body as it came
};
/// One request on a connection of its own.
HttpReply request(int port, const std::string& method, const std::string& path,
                  const std::string& body = "",
                  const std::vector<std::pair<std::string, std::string>>& headers = {});

/// Runs the fermata binary to its end; exit code and what it printed. One that has nothing to say
/// for half a minute is killed and has the code -1.
struct Ran {
  int code = -1;
  std::string output;
};
Ran run_fermata(const std::vector<std::string>& arguments);
/// The same as a user who is not root, where the tests are.
Ran run_as_nobody(const std::vector<std::string>& arguments);

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
