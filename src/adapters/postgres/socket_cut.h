#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace fermata::postgres {

/// Shuts a socket down when time is up, so that whoever waits for an answer on it need not wait for
/// a server that hangs.
class SocketCut {
 public:
  SocketCut() = default;
  ~SocketCut() { end_within(0, -1); }
  SocketCut(const SocketCut&) = delete;
  SocketCut& operator=(const SocketCut&) = delete;

  /// 0: it is left alone. The socket stays open until then.
  void end_within(int64_t ms, int socket);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace fermata::postgres
