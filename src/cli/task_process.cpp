#include "cli/task_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>

namespace fermata::cli {
namespace {

using Time = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{10};
constexpr int look_every_ms = 50;

/// A file that is closed once.
class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void take(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

struct Pipe {
  File read, write;
  bool make() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read.take(ends[0]);
    write.take(ends[1]);
    return true;
  }
};

class Task {
 public:
  Task(const TaskOrder& order, const std::function<void(std::string_view)>& on_line)
      : order_(order), on_line_(on_line) {}

  Outcome<void> start() {
    if (!in_.make() || !out_.make() || !err_.make()) return failed("making pipes");
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in_.read.number(), 0);
    posix_spawn_file_actions_adddup2(&files, out_.write.number(), 1);
    posix_spawn_file_actions_adddup2(&files, err_.write.number(), 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    // A group of its own, so that all it starts can be stopped with it.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string shell = "/bin/sh", option = "-c", command = order_.command;
    char* words[] = {shell.data(), option.data(), command.data(), nullptr};
    std::vector<std::string> texts = order_.environment;
    std::vector<char*> environment;
    for (std::string& text : texts) environment.push_back(text.data());
    environment.push_back(nullptr);
    int result =
        posix_spawn(&process_, shell.c_str(), &files, &attributes, words, environment.data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    errno = result;
    if (result != 0) return failed("starting /bin/sh");
    in_.read.close();
    out_.write.close();
    err_.write.close();
    fcntl(in_.write.number(), F_SETFL, O_NONBLOCK);
    return {};
  }

  TaskEnd wait(const std::atomic<bool>& cancelled) {
    if (order_.input.empty()) in_.write.close();
    while (out_.read.open() || err_.read.open()) {
      stop_if(cancelled);
      move();
      // Somebody it has left behind may keep the pipes open.
      if (!exited_ && waitpid(process_, &status_, WNOHANG) == process_) exited_ = true;
      if (exited_ && !pending()) break;
    }
    while (!exited_) {
      stop_if(cancelled);
      exited_ = waitpid(process_, &status_, WNOHANG) == process_;
      if (!exited_) poll(nullptr, 0, look_every_ms);
    }
    line("\n");
    end_.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    return std::move(end_);
  }

 private:
  Failure<Error> failed(const char* doing) {
    return fail(ErrorCode::io_failed, std::string(doing) + ": " + std::strerror(errno));
  }

  void stop_if(const std::atomic<bool>& cancelled) {
    if (!cancelled) return;
    Time::time_point now = Time::now();
    if (!asked_at_) {
      asked_at_ = now;
      kill(-process_, SIGTERM);
    } else if (now - *asked_at_ >= patience) {
      kill(-process_, SIGKILL);
    }
  }

  bool pending() {
    pollfd files[] = {{out_.read.number(), POLLIN, 0}, {err_.read.number(), POLLIN, 0}};
    return poll(files, 2, 0) > 0 &&
           ((files[0].revents & POLLIN) != 0 || (files[1].revents & POLLIN) != 0);
  }

  void move() {
    pollfd files[] = {{in_.write.number(), POLLOUT, 0},
                      {out_.read.number(), POLLIN, 0},
                      {err_.read.number(), POLLIN, 0}};
    if (poll(files, 3, look_every_ms) <= 0) return;
    if (files[0].revents != 0) give();
    if (files[1].revents != 0) take(out_.read, [this](std::string_view text) { output(text); });
    if (files[2].revents != 0) take(err_.read, [this](std::string_view text) { line(text); });
  }

  void give() {
    ssize_t count =
        ::write(in_.write.number(), order_.input.data() + given_, order_.input.size() - given_);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // It may have ended without reading all of it.
    if (count >= 0) given_ += static_cast<size_t>(count);
    if (count < 0 || given_ == order_.input.size()) in_.write.close();
  }

  template <class Use>
  void take(File& file, Use use) {
    char buffer[65'536];
    ssize_t count = ::read(file.number(), buffer, sizeof buffer);
    if (count > 0) return use(std::string_view(buffer, static_cast<size_t>(count)));
    if (count == 0 || errno != EINTR) file.close();
  }

  void output(std::string_view text) {
    size_t room = order_.output_bytes_max - end_.output.size();
    end_.too_large = end_.too_large || text.size() > room;
    end_.output.append(text.substr(0, room));
  }

  void line(std::string_view text) {
    constexpr size_t line_bytes_max = 8 << 10;
    for (char c : text) {
      if (c != '\n' && line_.size() < line_bytes_max) {
        line_ += c;
      } else if (!line_.empty()) {
        on_line_(line_);
        end_.last_words = std::exchange(line_, {});
      }
    }
  }

  const TaskOrder& order_;
  const std::function<void(std::string_view)>& on_line_;
  Pipe in_, out_, err_;
  pid_t process_ = -1;
  bool exited_ = false;
  int status_ = 0;
  size_t given_ = 0;
  std::string line_;
  std::optional<Time::time_point> asked_at_;
  TaskEnd end_;
};

}  // namespace

Outcome<TaskEnd> run_task(const TaskOrder& order, const std::atomic<bool>& cancelled,
                          const std::function<void(std::string_view)>& on_line) {
  Task task(order, on_line);
  FERMATA_TRY_VOID(task.start());
  return task.wait(cancelled);
}

}  // namespace fermata::cli
