#pragma once
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace fermata {

/// Wakes a thread that waits for a socket.
class Bell {
 public:
  Bell() : handle_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Bell() { close(handle_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() {
    uint64_t one = 1;
    // Full means that it rings already.
    [[maybe_unused]] ssize_t written = write(handle_, &one, sizeof one);
  }
  /// Returns when it rings, the socket (when there is one) has something, or the time is over.
  void wait(int socket, int most_ms) {
    pollfd wanted[2] = {{handle_, POLLIN, 0}, {socket, POLLIN, 0}};
    poll(wanted, socket >= 0 ? 2 : 1, most_ms);
    uint64_t rung = 0;
    [[maybe_unused]] ssize_t taken = read(handle_, &rung, sizeof rung);
  }

 private:
  const int handle_;
};

}  // namespace fermata
