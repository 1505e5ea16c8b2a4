#include "test/chaos/server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/json.h"

namespace fermata::test {

namespace {

using SteadyClock = std::chrono::steady_clock;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int free_port() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

constexpr uid_t nobody = 65534;

pid_t spawn(const std::vector<std::string>& words, int output, bool as_nobody = false) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = fork();
  if (pid != 0) return pid;
  dup2(output, 1);
  dup2(output, 2);
  if (as_nobody && geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(126);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// Waits for a child with a deadline, by polling a pidfd-free way that needs no signal handler.
std::optional<int> wait_for(pid_t pid, std::chrono::seconds most) {
  auto deadline = SteadyClock::now() + most;
  while (SteadyClock::now() < deadline) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    poll(nullptr, 0, 2);
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path binary() {
  const char* given = std::getenv("FERMATA_BINARY");
  return given ? given : "build/release/fermata";
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "fermata-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ServerProcess::ServerProcess(std::filesystem::path data, std::vector<std::string> arguments,
                             std::filesystem::path log)
    : data_(std::move(data)),
      arguments_(std::move(arguments)),
      log_(log.empty() ? std::filesystem::path(data_.string() + ".log") : std::move(log)),
      port_(free_port()) {}

ServerProcess::~ServerProcess() { kill_hard(); }

void ServerProcess::freeze() { ::kill(pid_, SIGSTOP); }
void ServerProcess::thaw() { ::kill(pid_, SIGCONT); }

std::optional<int> ServerProcess::await_end() {
  auto code = wait_for(pid_, std::chrono::seconds(30));
  if (code) pid_ = -1;
  return code;
}

void ServerProcess::launch() {
  std::vector<std::string> words = {binary().string(), "serve", "--data", data_.string()};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  if (std::find(words.begin(), words.end(), "--listen") == words.end())
    words.insert(words.end(), {"--listen", "127.0.0.1:" + std::to_string(port_)});
  int log = open(log_.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  pid_ = spawn(words, log);
  close(log);
}

bool ServerProcess::start() {
  launch();
  auto deadline = SteadyClock::now() + std::chrono::seconds(30);
  while (SteadyClock::now() < deadline) {
    HttpReply ready = request(port_, "GET", "/readyz");
    if (ready.status == 200) return true;
    // That does not go away; it serves what it can.
    if (ready.body.get("code") == Value("data_damaged")) return false;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      end_ = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                               : "signal " + std::to_string(WTERMSIG(status));
      return false;
    }
    poll(nullptr, 0, 5);
  }
  return false;
}

void ServerProcess::kill_hard() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
}

int ServerProcess::stop_softly() {
  ::kill(pid_, SIGTERM);
  auto code = wait_for(pid_, std::chrono::seconds(15));
  if (!code) return -1;
  pid_ = -1;
  return *code;
}

std::string ServerProcess::log() const {
  std::ifstream file(log_);
  std::stringstream text;
  text << file.rdbuf();
  return text.str() + end_;
}

HttpReply request(int port, const std::string& method, const std::string& path,
                  const std::string& body,
                  const std::vector<std::pair<std::string, std::string>>& headers) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  timeval limit{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    return {};
  }
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                     "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  text += "\r\n" + body;
  bool sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  std::string received;
  char buffer[16384];
  for (ssize_t got; sent && (got = recv(fd, buffer, sizeof buffer, 0)) > 0;)
    received.append(buffer, static_cast<size_t>(got));
  close(fd);
  size_t end = received.find("\r\n\r\n");
  if (received.size() < 12 || end == std::string::npos) return {};
  HttpReply reply;
  reply.head = received.substr(0, end);
  std::string payload = received.substr(end + 4);
  auto parsed = parse_json(payload);
  if (parsed) reply.body = *std::move(parsed);
  // An answer that broke off is no answer.
  if (!payload.empty() && !parsed && received.find("json") < end) return {};
  reply.status = std::atoi(received.c_str() + 9);
  reply.text = std::move(payload);
  return reply;
}

namespace {

Ran run(const std::vector<std::string>& arguments, bool as_nobody) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::vector<std::string> words = {binary().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_t pid = spawn(words, ends[1], as_nobody);
  close(ends[1]);
  Ran ran;
  char buffer[4096];
  pollfd readable{ends[0], POLLIN, 0};
  for (ssize_t got = 1; got > 0;) {
    if (poll(&readable, 1, 30'000) <= 0) break;
    got = read(ends[0], buffer, sizeof buffer);
    if (got > 0) ran.output.append(buffer, static_cast<size_t>(got));
  }
  close(ends[0]);
  auto code = wait_for(pid, std::chrono::seconds(1));
  if (!code) {
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  ran.code = code.value_or(-1);
  return ran;
}

}  // namespace

Ran run_fermata(const std::vector<std::string>& arguments) { return run(arguments, false); }
Ran run_as_nobody(const std::vector<std::string>& arguments) { return run(arguments, true); }

}  // namespace fermata::test
