#include "adapters/postgres/neighbours.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"

namespace fermata::postgres {
namespace {

using Millis = std::chrono::milliseconds;

constexpr Millis look_every{500};     // for a notice that was lost
constexpr Millis look_often{50};      // where a pooler lets no notice through
constexpr Millis touch_every{3'000};  // C-19
constexpr Millis sweep_every{10'000};
constexpr Millis reconnect_pause{300};
constexpr size_t rows_at_once = 256;
constexpr int turns_at_once = 16;
constexpr size_t bytes_at_once = 4 << 20;

std::string new_replica_id() {
  unsigned char bytes[8];
  check(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
  constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (unsigned char byte : bytes) (id += digits[byte >> 4]) += digits[byte & 15];
  return id;
}

std::string name_of_lead(uint64_t fence) { return "lead " + std::to_string(fence); }

}  // namespace

struct Neighbours::Bell {
  Bell() : fd(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Bell() { close(fd); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  void ring() const { eventfd_write(fd, 1); }
  void rest() const {
    eventfd_t count;
    eventfd_read(fd, &count);
  }
  const int fd;
};

Neighbours::Neighbours(const Server& server, Pool& readers, Settings settings)
    : settings_(std::move(settings)),
      id_(new_replica_id()),
      readers_(readers),
      bell_(std::make_shared<Bell>()),
      desk_(std::make_shared<PassageDesk>(settings_.limits, id_, [bell = bell_] { bell->ring(); })),
      connection_(server),
      thread_([this] { work(); }) {}

Neighbours::~Neighbours() { stop(); }

void Neighbours::stop() {
  stopping_ = true;
  bell_->ring();
  if (thread_.joinable()) thread_.join();
}

Outcome<std::shared_ptr<Passage>> Neighbours::call(std::string_view opening,
                                                   std::shared_ptr<PassageEar> ear) {
  if (stopping_) return fail(ErrorCode::shutting_down, "the server is stopping");
  return desk_->call(opening, std::move(ear));
}

void Neighbours::take_calls(Taker taker) { desk_->take_calls(std::move(taker)); }

Outcome<std::vector<Replica>> Neighbours::replicas() {
  // Told of the clock, somebody asks on this thread, which waits for no reader.
  if (std::this_thread::get_id() == carrier_.load()) return list_replicas(connection_);
  return readers_.read([](Connection& c) { return list_replicas(c); });
}

void Neighbours::introduce(const Replica& self) {
  {
    std::lock_guard lock(mutex_);
    std::optional<int64_t> skew = self_.skew_ms;
    self_ = self;
    self_.id = id_;
    self_.skew_ms = skew;
    introduced_ = false;
  }
  bell_->ring();
}

void Neighbours::leader_is(uint64_t fence, bool serving) {
  desk_->leader_is(serving ? name_of_lead(fence) : "");
}

void Neighbours::lead_is(uint64_t fence) {
  leads_ = fence != 0;
  desk_->leader_is("");
  desk_->own_name_is(fence == 0 ? "" : name_of_lead(fence));
  bell_->ring();
}

void Neighbours::work() {
  carrier_ = std::this_thread::get_id();
  while (!stopping_) {
    if (connect()) {
      Outcome<bool> more = carry();
      if (more && !*more && !stopping_) wait();
      if (more) continue;
    }
    pollfd woken{bell_->fd, POLLIN, 0};
    poll(&woken, 1, static_cast<int>(reconnect_pause.count()));
    bell_->rest();
  }
  desk_->take_calls(nullptr);
  if (connection_.alive()) {
    for (bool more = true; more;) {
      Outcome<bool> sent = send();
      more = sent && *sent;
    }
    (void)forget_replica(connection_, id_);
  }
  desk_->break_all();
  connection_.close();
}

/// What was sent over a session that is lost may be lost with it, and after a crash of the server
/// so are all rows: whoever has a passage begins anew.
bool Neighbours::connect() {
  if (connection_.alive() && connection_.last_trouble() == Trouble::none) return true;
  desk_->break_all();
  connection_.close();
  listening_.clear();
  if (!connection_.ensure()) return false;
  direct_ = connection_.is_direct();
  // Behind a pooler the session is not ours alone: commits may come to run in it.
  if (direct_ && connection_.script("set synchronous_commit to off").trouble != Trouble::none)
    return false;
  look_ = true;
  look_at_ = touch_at_ = sweep_at_ = skew_at_ = Steady::now();
  return true;
}

Outcome<void> Neighbours::listen() {
  std::string name = desk_->own_name();
  if (name == listening_ || !direct_) return {};
  Reply reply = connection_.script("listen " + passage_channel(settings_.schema, name));
  if (reply.trouble != Trouble::none) return connection_.failure("listening", reply);
  listening_ = name;
  look_ = true;
  return {};
}

/// True when there is more to do at this moment: however much there is, chores come in between.
Outcome<bool> Neighbours::carry() {
  FERMATA_TRY_VOID(drop_strays());
  if (!leads_) desk_->keep_only({});
  FERMATA_TRY_VOID(listen());
  FERMATA_TRY_VOID(do_chores());
  bool more = true;
  for (int turn = 0; more && turn < turns_at_once && !stopping_; ++turn) {
    FERMATA_TRY(sent, send());
    bool look = std::exchange(look_, false) || Steady::now() >= look_at_;
    more = sent;
    if (look && (leads_ || !desk_->idle())) {
      FERMATA_TRY(received, receive());
      more = more || received;
      look_ = received;
    }
    if (look) look_at_ = Steady::now() + (direct_ ? look_every : look_often);
    look_ = connection_.take_notices() || look_;
    more = more || look_;
  }
  return more;
}

/// What lies there for one that leads no more was not taken: it is taken back, and may be sent to
/// the next. Of the rest nobody knows what became.
Outcome<void> Neighbours::drop_strays() {
  for (const std::string& receiver : desk_->stray_receivers()) {
    FERMATA_TRY(untaken, withdraw_passage_rows(connection_, receiver, id_));
    desk_->drop_strays(receiver, untaken);
  }
  return {};
}

/// True when there may be more.
Outcome<bool> Neighbours::send() {
  std::vector<PassageRow> rows = desk_->to_send(bytes_at_once);
  if (rows.empty()) return false;
  FERMATA_TRY_VOID(put_passage_rows(connection_, settings_.schema, rows));
  return true;
}

Outcome<bool> Neighbours::receive() {
  FERMATA_TRY(rows, take_passage_rows(connection_, desk_->own_name(), rows_at_once));
  desk_->arrived(rows);
  return rows.size() == rows_at_once;
}

Outcome<void> Neighbours::do_chores() {
  Steady::time_point now = Steady::now();
  if (now >= skew_at_) {
    FERMATA_TRY(skew, measure_skew(connection_, settings_.now));
    {
      std::lock_guard lock(mutex_);
      self_.skew_ms = skew.ms;
    }
    if (settings_.skew) settings_.skew(skew);
    skew_at_ = now + Millis(settings_.skew_every.ms);
  }
  Replica self;
  bool introduced = true;
  {
    std::lock_guard lock(mutex_);
    self = self_;
    introduced = std::exchange(introduced_, true);
  }
  if (now >= touch_at_ || !introduced) {
    if (!self.id.empty()) FERMATA_TRY_VOID(touch_replica(connection_, self));
    if (leads_ && !desk_->idle()) {
      FERMATA_TRY(alive, living_replicas(connection_));
      desk_->keep_only(alive);
    }
    touch_at_ = now + touch_every;
  }
  if (leads_ && now >= sweep_at_) {
    FERMATA_TRY_VOID(sweep_passage_rows(connection_));
    FERMATA_TRY_VOID(sweep_replicas(connection_));
    sweep_at_ = now + sweep_every;
  }
  return {};
}

Neighbours::Steady::duration Neighbours::pause() const {
  Steady::time_point until = std::min(touch_at_, skew_at_);
  if (leads_ || !desk_->idle()) until = std::min(until, look_at_);
  if (leads_) until = std::min(until, sweep_at_);
  return until - Steady::now();
}

void Neighbours::wait() {
  auto left = std::chrono::duration_cast<Millis>(pause()).count();
  pollfd waits[] = {{bell_->fd, POLLIN, 0}, {connection_.socket(), POLLIN, 0}};
  poll(waits, 2, static_cast<int>(std::clamp<int64_t>(left, 0, 1'000)));
  bell_->rest();
  if (waits[1].revents != 0) look_ = connection_.take_notices() || look_;
}

}  // namespace fermata::postgres
