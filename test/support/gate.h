#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace fermata::test {

/// A TCP relay between a client and a server, both on this machine, that does to their connections
/// what networks do: it passes, delays and throttles bytes, swallows those of one way, cuts
/// connections and refuses new ones (C-121). It knows nothing of what is said, so it stands before
/// any server. Its methods may be called from any thread and hold for what passes from then on.
class Gate {
 public:
  enum class Way : uint8_t { there, back };  ///< to the server, to the client

  /// Listens on a free port of loopback and relays to this one, whether anybody listens there yet
  /// or not.
  explicit Gate(int target_port);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const { return port_; }
  /// Everything goes through as it comes, as in the beginning. What was swallowed stays lost.
  void pass();
  /// Ends every connection at once, as when a machine loses its power; new ones are welcome.
  void cut();
  /// Ends every connection and listens no longer, until `pass`.
  void refuse();
  /// Bytes of one way vanish; the connection stays, and the other way too.
  void swallow(Way way);
  /// Bytes arrive so much later, in both ways together: half of it in each.
  void delay(std::chrono::milliseconds by);
  /// No more bytes per second, in each way of each connection.
  void throttle(uint64_t bytes_per_second);
  /// After so many bytes more of one way, over all connections, the one they belong to is cut.
  void cut_after(Way way, uint64_t bytes);

  size_t connections() const;         ///< open now
  size_t connections_so_far() const;  ///< since it began
  uint64_t bytes(Way way) const;      ///< that came in to be sent that way, swallowed ones too

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Chunk {
    std::string bytes;
    size_t sent = 0;
    Time due;
  };
  /// What is read from one socket and written to the other.
  struct Lane {
    std::deque<Chunk> chunks{};
    size_t waiting = 0;   ///< bytes in `chunks`
    Time free_at{};       ///< when a throttled lane takes the next
    bool ended = false;   ///< nothing more comes in
    bool closed = false;  ///< and the other side was told
  };
  struct Pair {
    std::array<int, 2> sockets{-1, -1};  ///< client's, server's
    std::array<Lane, 2> lanes{};         ///< by Way
    bool connecting = true;
    bool broken = false;
  };
  static constexpr size_t waiting_max = 4 << 20;  ///< of one lane; then its sender has to wait

  bool bind_at(int port);
  bool listen_at(int port);
  void close_listener();
  void run();
  void accept_all();
  bool receive(Pair& pair, Way way, Time now);
  bool send(Pair& pair, Way way, Time now);
  void step(Pair& pair, short client_events, short server_events, Time now);
  void close(Pair& pair);
  void end_all();
  void wake();

  const int target_port_;
  int port_ = 0;
  int listener_ = -1;
  bool refuses_ = false;  ///< bound, and not listening
  std::array<int, 2> bell_{-1, -1};
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::chrono::milliseconds delay_{0};
  uint64_t bytes_per_second_ = 0;  ///< 0: as many as come
  std::array<bool, 2> swallows_{};
  std::array<int64_t, 2> left_{-1, -1};  ///< bytes until a cut; negative: none is planned
  std::array<uint64_t, 2> counted_{};
  size_t accepted_ = 0;
  std::list<Pair> pairs_;
  std::thread thread_;
};

}  // namespace fermata::test
