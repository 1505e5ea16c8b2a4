#include "test/support/redis_process.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "test/support/eventually.h"

namespace fermata::test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "fermata-redis-XXXXXX").string();
  check(mkdtemp(name.data()) != nullptr);
  return name;
}

}  // namespace

int free_port() {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  check(bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0);
  check(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

RedisProcess::RedisProcess(std::vector<std::string> options)
    : options_(std::move(options)), folder_(make_folder()), port_(free_port()) {}

RedisProcess::~RedisProcess() {
  kill_hard();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool RedisProcess::answers() const {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(port_);
  timeval limit{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char reply[8] = {};
  // One that loads its files answers too, with an error; one that wants a password does as well.
  bool there = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
               send(socket, "PING\r\n", 6, MSG_NOSIGNAL) == 6 && recv(socket, reply, 7, 0) > 0;
  ::close(socket);
  std::string_view said = reply;
  return there && (said.starts_with("+PONG") || said.starts_with("-NOAUTH"));
}

bool RedisProcess::start() {
  std::vector<std::string> words = {"redis-server",   "--port",    std::to_string(port_),
                                    "--bind",         "127.0.0.1", "--dir",
                                    folder_.string(), "--save",    "",
                                    "--loglevel",     "warning"};
  // By default it is 10000 beyond the other one, where there may be none.
  if (std::ranges::find(options_, "--cluster-enabled") != options_.end())
    words.insert(words.end(), {"--cluster-port", std::to_string(free_port())});
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  return eventually([&] { return answers() || waitpid(pid_, nullptr, WNOHANG) == pid_; }) &&
         answers();
}

void RedisProcess::kill_hard() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RedisProcess::forget() {
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    std::filesystem::remove_all(entry.path());
}

void RedisProcess::freeze() { ::kill(pid_, SIGSTOP); }
void RedisProcess::thaw() { ::kill(pid_, SIGCONT); }

}  // namespace fermata::test
