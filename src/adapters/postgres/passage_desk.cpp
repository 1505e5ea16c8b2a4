#include "adapters/postgres/passage_desk.h"

#include <algorithm>
#include <charconv>

namespace fermata::postgres {
namespace {

constexpr size_t passage_row_bytes_max = 64 << 10;
constexpr size_t pending_shrink_bytes = 256 << 10;
/// Room is given back in steps of half of the smallest window that a process may be given, so that
/// it does not matter whether all were given the same.
constexpr size_t room_step_bytes = 32 << 10;
/// Of a row that breaks a passage off: it is heard whatever came before.
constexpr uint64_t farewell_sequence = uint64_t{1} << 62;

size_t number_in(const std::string& text) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

/// One side's handle.
class Way final : public Passage {
 public:
  Way(std::shared_ptr<PassageDesk> desk, PassageDesk::Key key)
      : desk_(std::move(desk)), key_(std::move(key)) {}
  ~Way() override { desk_->drop(key_); }
  void say(std::string_view bytes) override { desk_->say(key_, bytes); }
  size_t room() const override { return desk_->room(key_); }
  void took(size_t bytes) override { desk_->took(key_, bytes); }
  void finish() override { desk_->finish(key_); }
  void refuse() override { desk_->refuse(key_); }

 private:
  const std::shared_ptr<PassageDesk> desk_;
  const PassageDesk::Key key_;
};

PassageDesk::PassageDesk(PassageLimits limits, std::string own_id, std::function<void()> wake)
    : limits_(limits), own_id_(std::move(own_id)), wake_(std::move(wake)), own_name_(own_id_) {}

Outcome<std::shared_ptr<Passage>> PassageDesk::call(std::string_view opening,
                                                    std::shared_ptr<PassageEar> ear) {
  std::lock_guard lock(mutex_);
  if (leader_.empty()) return fail(ErrorCode::store_unavailable, "no server leads at this moment");
  if (states_.size() >= limits_.passages_max) {
    ++counts_.refused;
    return fail(ErrorCode::queue_full, "more than carry_requests_max requests are carried");
  }
  Key key(leader_, next_number_++);
  State& state = states_[key];
  state.ear = std::move(ear);
  state.opening = opening;
  state.sender = own_id_;
  state.unopened = state.called = true;
  state.window = limits_.window_bytes;
  ++counts_.calls;
  list(key, state);
  return std::shared_ptr<Passage>(std::make_shared<Way>(shared_from_this(), key));
}

void PassageDesk::take_calls(Passages::Taker taker) {
  std::lock_guard lock(mutex_);
  taker_ = std::move(taker);
}

void PassageDesk::leader_is(const std::string& receiver) {
  std::lock_guard lock(mutex_);
  if (leader_ == receiver) return;
  leader_ = receiver;
  wake_();
}

std::set<std::string> PassageDesk::stray_receivers() const {
  std::lock_guard lock(mutex_);
  std::set<std::string> out;
  for (const auto& [key, state] : states_)
    if (state.called && key.first != leader_) out.insert(key.first);
  return out;
}

void PassageDesk::drop_strays(const std::string& receiver, const std::set<uint64_t>& untaken) {
  Events events;
  {
    std::lock_guard lock(mutex_);
    for (auto at = states_.lower_bound({receiver, 0});
         at != states_.end() && at->first.first == receiver;) {
      auto one = at++;
      if (!one->second.called) continue;
      bool unheard = untaken.contains(one->first.second);
      end(one, unheard ? PassageEnd::refused : PassageEnd::broken, !unheard, events);
    }
  }
  for (auto& event : events) event();
}

void PassageDesk::own_name_is(const std::string& receiver) {
  std::lock_guard lock(mutex_);
  own_name_ = receiver.empty() ? own_id_ : receiver;
}

std::string PassageDesk::own_name() const {
  std::lock_guard lock(mutex_);
  return own_name_;
}

bool PassageDesk::idle() const {
  std::lock_guard lock(mutex_);
  return states_.empty() && farewells_.empty();
}

Passages::Counts PassageDesk::counts() const {
  std::lock_guard lock(mutex_);
  Passages::Counts counts = counts_;
  counts.open = states_.size();
  return counts;
}

void PassageDesk::list(const Key& key, State& state) {
  if (state.listed) return;
  state.listed = true;
  listed_.push_back(key);
  if (listed_.size() == 1) wake_();
}

void PassageDesk::say(const Key& key, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  auto found = states_.find(key);
  if (found == states_.end() || found->second.finishing || bytes.empty()) return;
  State& state = found->second;
  state.pending.append(bytes);
  counts_.bytes += bytes.size();
  state.full = state.full || state.pending.size() - state.sent >= state.window;
  list(key, state);
}

size_t PassageDesk::room(const Key& key) const {
  std::lock_guard lock(mutex_);
  auto found = states_.find(key);
  if (found == states_.end()) return 0;
  size_t kept = found->second.pending.size() - found->second.sent;
  return found->second.window > kept ? found->second.window - kept : 0;
}

void PassageDesk::took(const Key& key, size_t bytes) {
  std::lock_guard lock(mutex_);
  auto found = states_.find(key);
  if (found == states_.end() || found->second.finishing) return;
  found->second.taken += bytes;
  if (found->second.taken >= room_step_bytes) list(key, found->second);
}

void PassageDesk::finish(const Key& key) {
  std::shared_ptr<PassageEar> released;  // may hold a passage: let go of without the lock
  std::lock_guard lock(mutex_);
  auto found = states_.find(key);
  if (found == states_.end()) return;
  found->second.finishing = true;
  released = std::move(found->second.ear);
  list(key, found->second);
}

void PassageDesk::drop(const Key& key) { let_go(key, PassageRow::Kind::broken); }

void PassageDesk::refuse(const Key& key) { let_go(key, PassageRow::Kind::refused); }

void PassageDesk::let_go(const Key& key, PassageRow::Kind kind) {
  std::shared_ptr<PassageEar> released;
  std::lock_guard lock(mutex_);
  auto found = states_.find(key);
  if (found == states_.end() || found->second.finishing) return;
  released = std::move(found->second.ear);
  part(key, found->second, kind);
  states_.erase(found);
  ++(kind == PassageRow::Kind::broken ? counts_.broken : counts_.refused);
}

void PassageDesk::part(const Key& key, const State& state, PassageRow::Kind kind) {
  if (state.unopened) return;
  PassageRow row;
  row.receiver = key.first;
  row.sender = state.sender;
  row.number = key.second;
  row.sequence = farewell_sequence;
  row.kind = kind;
  farewells_.push_back(std::move(row));
  wake_();
}

void PassageDesk::end(std::map<Key, State>::iterator at, PassageEnd how, bool tell,
                      Events& events) {
  if (tell) part(at->first, at->second, PassageRow::Kind::broken);
  // What has not left yet was surely heard by nobody.
  if (at->second.unopened) how = PassageEnd::refused;
  if (how == PassageEnd::broken) ++counts_.broken;
  if (at->second.ear) events.push_back([ear = std::move(at->second.ear), how] { ear->over(how); });
  states_.erase(at);
}

void PassageDesk::keep_only(const std::set<std::string>& callers) {
  Events events;
  {
    std::lock_guard lock(mutex_);
    for (auto at = states_.begin(); at != states_.end();) {
      auto one = at++;
      if (!one->second.called && !callers.contains(one->first.first))
        end(one, PassageEnd::broken, false, events);
    }
  }
  for (auto& event : events) event();
}

void PassageDesk::break_all() {
  Events events;
  {
    std::lock_guard lock(mutex_);
    while (!states_.empty()) end(states_.begin(), PassageEnd::broken, true, events);
    listed_.clear();
  }
  for (auto& event : events) event();
}

bool PassageDesk::has_more(const State& state) {
  size_t kept = state.pending.size() - state.sent;
  return (kept > 0 && state.window > 0) || (kept == 0 && state.finishing) ||
         state.taken >= room_step_bytes;
}

bool PassageDesk::add_rows(const Key& key, State& state, std::vector<PassageRow>& rows,
                           size_t& bytes_left) {
  auto add = [&](PassageRow::Kind kind, std::string bytes) {
    bytes_left -= std::min(bytes_left, bytes.size() + 1);
    rows.push_back({key.first, state.sender, key.second, state.next_out++, kind, std::move(bytes)});
  };
  if (state.unopened) {
    state.unopened = false;
    add(PassageRow::Kind::open, std::move(state.opening));
  }
  if (state.taken >= room_step_bytes) {
    add(PassageRow::Kind::room, std::to_string(state.taken));
    state.taken = 0;
  }
  size_t some = std::min({state.pending.size() - state.sent, state.window, passage_row_bytes_max});
  if (some > 0) {
    add(PassageRow::Kind::bytes, state.pending.substr(state.sent, some));
    state.sent += some;
    state.window -= some;
    if (state.sent == state.pending.size() || state.sent >= pending_shrink_bytes) {
      state.pending.erase(0, state.sent);
      state.sent = 0;
    }
  }
  if (!state.finishing || state.sent < state.pending.size()) return false;
  add(PassageRow::Kind::finish, "");
  return true;
}

std::vector<PassageRow> PassageDesk::to_send(size_t bytes_max) {
  std::lock_guard lock(mutex_);
  std::vector<PassageRow> rows = std::exchange(farewells_, {});
  size_t bytes_left = bytes_max;
  while (!listed_.empty() && bytes_left > 0) {
    Key key = std::move(listed_.front());
    listed_.pop_front();
    auto found = states_.find(key);
    if (found == states_.end()) continue;
    State& state = found->second;
    state.listed = false;
    if (add_rows(key, state, rows, bytes_left)) {
      states_.erase(found);
    } else if (has_more(state)) {
      state.listed = true;
      listed_.push_back(std::move(key));
    }
  }
  return rows;
}

void PassageDesk::arrived(const std::vector<PassageRow>& rows) {
  for (const PassageRow& row : rows) {
    Events events;
    {
      std::lock_guard lock(mutex_);
      take_row(row, events);
    }
    for (auto& event : events) event();
  }
}

void PassageDesk::take_row(const PassageRow& row, Events& events) {
  auto found = states_.find({row.sender, row.number});
  if (found == states_.end()) {
    if (row.kind == PassageRow::Kind::open) open(row, events);
    return;
  }
  if (row.kind == PassageRow::Kind::broken) return end(found, PassageEnd::broken, false, events);
  if (row.kind == PassageRow::Kind::refused) return end(found, PassageEnd::refused, false, events);
  State& state = found->second;
  if (row.sequence < state.next_in) return;
  if (row.sequence > state.next_in) return end(found, PassageEnd::broken, true, events);
  ++state.next_in;
  switch (row.kind) {
    case PassageRow::Kind::bytes:
      counts_.bytes += row.bytes.size();
      if (state.ear) events.push_back([ear = state.ear, bytes = row.bytes] { ear->heard(bytes); });
      return;
    case PassageRow::Kind::room:
      state.window += number_in(row.bytes);
      if (has_more(state)) list(found->first, state);
      if (state.full && state.window > state.pending.size() - state.sent) {
        state.full = false;
        if (state.ear) events.push_back([ear = state.ear] { ear->may_say(); });
      }
      return;
    case PassageRow::Kind::finish: return end(found, PassageEnd::finished, false, events);
    case PassageRow::Kind::open:
    case PassageRow::Kind::broken:
    case PassageRow::Kind::refused: return;
  }
}

void PassageDesk::open(const PassageRow& row, Events& events) {
  State fresh;
  fresh.sender = own_name_;
  Key key(row.sender, row.number);
  if (!taker_ || states_.size() >= limits_.passages_max) {
    ++counts_.refused;
    return part(key, fresh, PassageRow::Kind::refused);
  }
  ++counts_.calls;
  fresh.window = limits_.window_bytes;
  fresh.next_in = row.sequence + 1;
  states_[key] = std::move(fresh);
  events.push_back([this, key, taker = taker_, opening = row.bytes] {
    auto ear = taker(opening, std::make_shared<Way>(shared_from_this(), key));
    std::lock_guard lock(mutex_);
    if (auto found = states_.find(key); found != states_.end() && !found->second.finishing)
      found->second.ear = std::move(ear);
  });
}

}  // namespace fermata::postgres
