#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/passage_desk.h"
#include "adapters/postgres/pool.h"
#include "adapters/postgres/replica_rows.h"

namespace fermata::postgres {

/// What this process has to do with the others on its schema: carries passages, says that it lives,
/// compares its clock. One thread and one session, which hears notices (C-18): a notice that is
/// lost costs one poll.
class Neighbours final : public Passages, public Replicas {
 public:
  struct Settings {
    std::string schema;
    PassageLimits limits;
    std::function<Instant()> now;
    /// Told how much this clock is ahead, every `skew_every`.
    std::function<void(const Skew&)> skew;
    Duration skew_every{30'000};
  };
  /// `readers` must outlive it.
  Neighbours(const Server& server, Pool& readers, Settings settings);
  ~Neighbours() override;
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  // Passages
  Outcome<std::shared_ptr<Passage>> call(std::string_view opening,
                                         std::shared_ptr<PassageEar> ear) override;
  void take_calls(Taker taker) override;
  /// Ends the thread after what was said has been sent.
  void stop() override;
  Counts counts() const override { return desk_->counts(); }

  // Replicas
  void introduce(const Replica& self) override;
  Outcome<std::vector<Replica>> replicas() override;
  std::string own_id() const override { return id_; }

  /// The fence of who leads, and whether requests may be sent there.
  void leader_is(uint64_t fence, bool serving);
  /// This process leads under this fence, or does not.
  void lead_is(uint64_t fence);

 private:
  using Steady = std::chrono::steady_clock;
  void work();
  bool connect();
  /// Listens to what this process is called by now.
  Outcome<void> listen();
  Outcome<bool> carry();
  Outcome<void> drop_strays();
  Outcome<bool> send();
  Outcome<bool> receive();
  Outcome<void> do_chores();
  void wait();
  Steady::duration pause() const;

  struct Bell;
  const Settings settings_;
  const std::string id_;
  Pool& readers_;
  const std::shared_ptr<Bell> bell_;  ///< shared with handles of passages, which may outlive this
  const std::shared_ptr<PassageDesk> desk_;
  std::mutex mutex_;
  Replica self_;
  bool introduced_ = false;
  std::atomic<bool> leads_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<std::thread::id> carrier_{};  ///< the thread, said by itself

  // Of the thread.
  Connection connection_;
  std::string listening_;
  bool direct_ = false;
  bool look_ = true;  ///< a notice has come, or it is time to look without one
  Steady::time_point look_at_, touch_at_, sweep_at_, skew_at_;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace fermata::postgres
