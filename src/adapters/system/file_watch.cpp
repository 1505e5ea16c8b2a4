#include "adapters/system/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace fermata {

namespace {

constexpr int look_anyway_ms = 30'000;
/// Whoever writes a file often does so in several steps.
constexpr int settle_ms = 50;

std::string folder_of(const std::string& file) {
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

SystemFileWatch::SystemFileWatch(const std::string& file, std::function<void()> on_change)
    : name_(std::filesystem::path(file).filename().string()), on_change_(std::move(on_change)) {
  stop_ = eventfd(0, EFD_CLOEXEC);
  notices_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  // A kernel that cannot tell leaves us with looking every now and then.
  if (notices_ >= 0)
    (void)inotify_add_watch(notices_, folder_of(file).c_str(),
                            IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_CREATE);
  thread_ = std::thread([this] { run(); });
}

SystemFileWatch::~SystemFileWatch() {
  uint64_t one = 1;
  (void)!write(stop_, &one, sizeof one);
  thread_.join();
  if (notices_ >= 0) close(notices_);
  close(stop_);
}

bool SystemFileWatch::is_ours() {
  alignas(inotify_event) std::array<char, 16'384> buffer;
  bool ours = false;
  for (;;) {
    ssize_t size = read(notices_, buffer.data(), buffer.size());
    if (size <= 0) return ours;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      ours = ours || event->len == 0 || name_ == event->name;
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

void SystemFileWatch::run() {
  for (;;) {
    std::array<pollfd, 2> waited{{{stop_, POLLIN, 0}, {notices_, POLLIN, 0}}};
    nfds_t count = notices_ >= 0 ? 2 : 1;
    int ready = poll(waited.data(), count, look_anyway_ms);
    if (waited[0].revents != 0) return;
    if (ready > 0 && !is_ours()) continue;
    if (ready > 0 && poll(waited.data(), 1, settle_ms) > 0) return;
    if (ready >= 0) on_change_();
  }
}

}  // namespace fermata
