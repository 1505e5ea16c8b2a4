#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

/// Runs the built program as a user would, with FERMATA_BINARY as its path.
namespace fermata::test {

struct Finished {
  int exit = -1;  ///< the exit code, or -1 when a signal ended it
  std::string out;
  std::string err;
};

/// Runs the program to its end. `environment` holds further `NAME=value` texts, `input` what it
/// finds on standard input.
Finished fermata(const std::vector<std::string>& words,
                 const std::vector<std::string>& environment = {}, const std::string& input = "");
/// The same for a line as the help shows it: words by blanks, single quotes keep blanks.
std::vector<std::string> split_words(const std::string& line);

/// A directory of its own for one test, gone afterwards.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string path(const std::string& name) const { return (root_ / name).string(); }

 private:
  std::filesystem::path root_;
};

/// `fermata serve` on a free port.
class ServeProcess {
 public:
  /// Returns when it serves; the test fails when it ends before that.
  explicit ServeProcess(std::vector<std::string> words,
                        const std::vector<std::string>& environment = {});
  ~ServeProcess();  ///< kills it if it still runs
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  const std::string& url() const { return url_; }
  void kill_hard();
  /// Sends SIGTERM and answers the exit code.
  int stop();
  /// What it has logged so far.
  std::string log() const;
  /// Runs a command against this server.
  Finished command(std::vector<std::string> words, std::vector<std::string> environment = {},
                   const std::string& input = "") const;

 private:
  int wait();

  Scratch scratch_;
  pid_t pid_ = -1;
  std::string url_;
};

}  // namespace fermata::test
