#include "test/command_line/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace fermata::test {
namespace {

constexpr auto start_deadline = std::chrono::seconds(60);

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Starts the program with its output in two files.
pid_t start(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            const std::string& in, const std::string& out, const std::string& err) {
  const char* binary = getenv("FERMATA_BINARY");
  EXPECT_NE(binary, nullptr) << "FERMATA_BINARY names the program";
  if (binary == nullptr) return -1;
  pid_t child = fork();
  if (child != 0) return child;
  int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int in_file = open(in.c_str(), O_RDONLY);
  dup2(in_file, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  unsetenv("FERMATA_SERVER");
  unsetenv("FERMATA_KEY");
  for (const std::string& entry : environment) {
    size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> pointers = {const_cast<char*>(binary)};
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execv(binary, pointers.data());
  _exit(127);
}

}  // namespace

Finished fermata(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                 const std::string& input) {
  Scratch scratch;
  std::ofstream(scratch.path("in")) << input;
  pid_t child =
      start(words, environment, scratch.path("in"), scratch.path("out"), scratch.path("err"));
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(scratch.path("out")),
          content(scratch.path("err"))};
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

Scratch::Scratch() {
  std::string name = std::filesystem::temp_directory_path() / "fermata-test-XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  root_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

ServeProcess::ServeProcess(std::vector<std::string> words,
                           const std::vector<std::string>& environment) {
  if (std::find(words.begin(), words.end(), "--listen") == words.end())
    words.insert(words.end(), {"--listen", "127.0.0.1:0"});
  words.insert(words.begin(), "serve");
  pid_ = start(words, environment, "/dev/null", scratch_.path("out"), scratch_.path("err"));
  auto deadline = std::chrono::steady_clock::now() + start_deadline;
  while (std::chrono::steady_clock::now() < deadline) {
    std::string text = log();
    // `url=http://…` in a text log, `"url":"http://…"` in JSON.
    size_t at = text.find("http://", std::min(text.find("url"), text.size()));
    size_t end = text.find_first_of(" \"", std::min(at, text.size()));
    if (at != std::string::npos && end != std::string::npos) {
      url_ = text.substr(at, end - at);
      return;
    }
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ADD_FAILURE() << "the server does not serve: " << log();
}

ServeProcess::~ServeProcess() { kill_hard(); }

void ServeProcess::kill_hard() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  wait();
}

int ServeProcess::stop() {
  if (pid_ < 0) return -1;
  kill(pid_, SIGTERM);
  return wait();
}

int ServeProcess::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string ServeProcess::log() const { return content(scratch_.path("err")); }

Finished ServeProcess::command(std::vector<std::string> words, std::vector<std::string> environment,
                               const std::string& input) const {
  environment.push_back("FERMATA_SERVER=" + url_);
  return fermata(words, environment, input);
}

}  // namespace fermata::test
