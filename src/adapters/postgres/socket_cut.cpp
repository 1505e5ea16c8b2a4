#include "adapters/postgres/socket_cut.h"

#include <sys/socket.h>

#include <chrono>

namespace fermata::postgres {

void SocketCut::end_within(int64_t ms, int socket) {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  over_ = false;
  if (ms == 0 || socket < 0) return;
  thread_ = std::thread([this, ms, socket] {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return over_; }))
      shutdown(socket, SHUT_RDWR);
  });
}

}  // namespace fermata::postgres
