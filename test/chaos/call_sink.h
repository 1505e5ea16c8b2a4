#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace fermata::test {

/// The outside world: answers every call at once with 200 and remembers, per Idempotency-Key, the
/// requests it came with. One thread for any number of connections.
class CallSink {
 public:
  CallSink();
  ~CallSink();
  CallSink(const CallSink&) = delete;
  CallSink& operator=(const CallSink&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::map<std::string, std::set<std::string>> seen() const;

 private:
  void serve();
  /// Takes one whole request off the front; false when it is not complete yet.
  bool take_request(std::string& received);

  int listener_ = -1;
  int wake_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>> seen_;
  std::thread thread_;
};

}  // namespace fermata::test
