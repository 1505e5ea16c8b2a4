#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/connection.h"

namespace fermata::test {

/// A real PostgreSQL of this process alone, on a private port and directory, to be stopped and
/// killed. It ends with the process, whatever that dies of.
class PostgresServer {
 public:
  /// `settings` such as "fsync=off" go to the server's command line.
  explicit PostgresServer(std::vector<std::string> settings = {})
      : settings_(std::move(settings)), port_(free_port()) {
    std::string name = std::filesystem::temp_directory_path() / "fermata-postgres-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) directory_ = name;
    const passwd* owner = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    if (owner != nullptr) {
      user_ = owner->pw_uid;
      group_ = owner->pw_gid;
      if (chown(directory_.c_str(), user_, group_) != 0) directory_.clear();
    }
  }
  ~PostgresServer() {
    kill_hard();
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Makes a cluster the first time. False when it does not answer within a minute; `log` says why.
  bool start() {
    if (directory_.empty()) return false;
    std::filesystem::path data = directory_ / "data";
    if (!std::filesystem::exists(data / "PG_VERSION")) {
      pid_t made = spawn({program("initdb"), "-D", data, "-A", "trust", "-U", "fermata", "-E",
                          "UTF8", "--locale=C", "--no-sync"});
      int status = 0;
      if (waitpid(made, &status, 0) != made || status != 0) return false;
    }
    std::vector<std::string> words = {program("postgres"),
                                      "-D",
                                      data,
                                      "-k",
                                      directory_,
                                      "-p",
                                      std::to_string(port_),
                                      "-c",
                                      "listen_addresses=127.0.0.1",
                                      "-c",
                                      "max_locks_per_transaction=1024"};
    for (const std::string& setting : settings_) words.insert(words.end(), {"-c", setting});
    pid_ = spawn(words);
    return answers_within(std::chrono::seconds(60));
  }
  /// Makes it a standby of another, which streams to it from now on; `start` begins it.
  bool copy_from(const PostgresServer& primary) {
    if (directory_.empty()) return false;
    pid_t copied = spawn({program("pg_basebackup"), "-D", directory_ / "data", "-h", "127.0.0.1",
                          "-p", std::to_string(primary.port_), "-U", "fermata", "-R", "-X",
                          "stream", "--checkpoint=fast", "--no-sync"});
    int status = 0;
    standby_ = true;
    return waitpid(copied, &status, 0) == copied && status == 0;
  }
  /// From now on it takes writes itself.
  bool promote() {
    standby_ = false;
    if (number("select pg_promote(true, 60)::int", true) != 1) return false;
    return answers_within(std::chrono::seconds(60));
  }
  /// SIGKILL to every process of it: what was not yet on the disk is gone with their memory.
  void kill_hard() {
    if (pid_ <= 0) return;
    std::vector<pid_t> all = processes();
    for (pid_t process : all) ::kill(process, SIGKILL);
    waitpid(pid_, nullptr, 0);
    // The next life waits for the memory that they share.
    for (pid_t process : all)
      while (lives(process)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pid_ = -1;
  }
  /// Ends sessions by their next statement and then itself.
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGINT);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  std::string url() const {
    return "postgres://fermata@127.0.0.1:" + std::to_string(port_) + "/postgres";
  }
  int port() const { return port_; }
  /// Runs statements over a connection of its own; true when they succeeded.
  bool run(const std::string& sql) const {
    postgres::Server server{.url = url(), .password = "", .schema = "public"};
    postgres::Connection connection(server);
    if (!connection.ensure()) return false;
    return connection.script(sql).trouble == postgres::Trouble::none;
  }
  /// The one number that a query gives.
  int64_t number(const std::string& sql, bool standby = false) const {
    std::string any = standby ? "?target_session_attrs=any" : "";
    postgres::Server server{.url = url() + any, .password = "", .schema = "public"};
    postgres::Connection connection(server);
    if (!connection.ensure()) return -1;
    postgres::Reply reply = connection.run(sql);
    return reply.trouble == postgres::Trouble::none && reply.rows.next() ? reply.rows.integer(0)
                                                                         : -1;
  }
  std::string log() const {
    std::ifstream file(directory_ / "log");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  static std::string program(const std::string& name) {
    for (const char* version : {"15", "16", "17", "14"}) {
      std::string path = std::string("/usr/lib/postgresql/") + version + "/bin/" + name;
      if (std::filesystem::exists(path)) return path;
    }
    return name;
  }
  static int free_port() {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    close(fd);
    return ntohs(address.sin_port);
  }
  /// As user postgres where the tests are root, which PostgreSQL refuses to be.
  pid_t spawn(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::string log = directory_ / "log";
    pid_t pid = fork();
    if (pid != 0) return pid;
    setsid();
    int output = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0666);
    dup2(output, 1);
    dup2(output, 2);
    if (group_ != 0 && (setgid(group_) != 0 || setuid(user_) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (chdir(directory_.c_str()) != 0) _exit(126);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  /// The first one, and its children, each of which leads a group of its own.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> all = {pid_};
    std::string name = std::to_string(pid_);
    std::ifstream children("/proc/" + name + "/task/" + name + "/children");
    for (pid_t child; children >> child;) all.push_back(child);
    return all;
  }
  /// One that nobody has waited for is gone all the same.
  static bool lives(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    size_t name = text.rfind(')');
    return name != std::string::npos && text.substr(name + 2, 1) != "Z";
  }
  bool answers_within(std::chrono::seconds most) {
    auto until = std::chrono::steady_clock::now() + most;
    while (std::chrono::steady_clock::now() < until) {
      if (standby_ ? number("select 1", true) == 1 : run("select 1")) return true;
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  std::vector<std::string> settings_;
  int port_;
  std::filesystem::path directory_;
  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t pid_ = -1;
  bool standby_ = false;
};

}  // namespace fermata::test
