#include "server/carry/carried.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace fermata::server {
namespace {

using http::Io;
using http::IoResult;
using http::Loop;

/// What has come over a passage and not been read yet.
class Inbox final : public PassageEar {
 public:
  explicit Inbox(http::LoopDoor door) : door_(std::move(door)) {}

  void heard(std::string bytes) override {
    {
      std::lock_guard lock(mutex_);
      bytes_.append(bytes);
    }
    stir(Loop::Stir::readable);
  }
  void may_say() override { stir(Loop::Stir::writable); }
  void over(PassageEnd) override {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    stir(Loop::Stir::broken);
  }

  /// Loop's thread: the connection that reads this.
  void belongs_to(uint64_t connection) { connection_ = connection; }
  IoResult read(std::span<char> into) {
    std::lock_guard lock(mutex_);
    if (bytes_.empty()) return {over_ ? Io::ended : Io::blocked, 0};
    size_t some = std::min(into.size(), bytes_.size());
    std::copy_n(bytes_.data(), some, into.data());
    bytes_.erase(0, some);
    return {Io::ok, some, !bytes_.empty()};
  }

 private:
  /// Before it belongs to a connection there is nobody to stir: that one begins by reading.
  void stir(Loop::Stir what) {
    if (uint64_t id = connection_)
      door_.run_there([id, what](Loop& loop) { loop.rouse(id, what); });
  }

  const http::LoopDoor door_;
  std::mutex mutex_;
  std::string bytes_;
  bool over_ = false;
  std::atomic<uint64_t> connection_{0};
};

class PassageTransport final : public http::Transport {
 public:
  PassageTransport(std::shared_ptr<Inbox> inbox, std::shared_ptr<Passage> passage)
      : inbox_(std::move(inbox)), passage_(std::move(passage)) {}
  /// Who carries sees by the bytes whether they were all. A request that nobody has begun to read
  /// may be taken by another.
  ~PassageTransport() override { read_ ? passage_->finish() : passage_->refuse(); }

  IoResult read(std::span<char> into) override {
    IoResult result = inbox_->read(into);
    if (result.bytes > 0) {
      read_ = true;
      passage_->took(result.bytes);
    }
    return result;
  }
  IoResult write(std::string_view bytes) override {
    size_t some = std::min(bytes.size(), passage_->room());
    if (some == 0) return {Io::blocked, 0};
    passage_->say(bytes.substr(0, some));
    return {Io::ok, some};
  }
  void finish_writing() override { passage_->finish(); }
  int fd() const override { return -1; }

 private:
  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<Passage> passage_;
  bool read_ = false;
};

}  // namespace

Passages::Taker carried_requests(http::LoopDoor door) {
  return [door](std::string_view opening,
                std::shared_ptr<Passage> passage) -> std::shared_ptr<PassageEar> {
    if (opening != carried_from_loopback && opening != carried_from_anywhere) return nullptr;
    bool elsewhere = opening != carried_from_loopback;
    auto inbox = std::make_shared<Inbox>(door);
    // Held by the errand alone: when the loop has ended it is dropped, and the other side hears.
    door.run_there([inbox, elsewhere, passage = std::move(passage)](Loop& loop) {
      uint64_t id = loop.adopt(std::make_unique<PassageTransport>(inbox, passage), elsewhere);
      inbox->belongs_to(id);
      loop.rouse(id, Loop::Stir::readable);
    });
    return inbox;
  };
}

}  // namespace fermata::server
