#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "adapters/postgres/passage_rows.h"
#include "ports/passages.h"

namespace fermata::postgres {

struct PassageLimits {
  size_t passages_max = 4'000;      ///< open at once
  size_t window_bytes = 256 << 10;  ///< said and not yet taken, of each; at least 64 KiB
};

/// The passages of this process as plain state: what was said becomes rows, rows that come become
/// calls to who hears them. Knows no database; one thread feeds it, any thread says.
class PassageDesk : public std::enable_shared_from_this<PassageDesk> {
 public:
  /// `wake` is called when there is something to be sent; it must not block.
  PassageDesk(PassageLimits limits, std::string own_id, std::function<void()> wake);

  Outcome<std::shared_ptr<Passage>> call(std::string_view opening, std::shared_ptr<PassageEar> ear);
  void take_calls(Passages::Taker taker);
  /// Whom calls go to; empty for nobody.
  void leader_is(const std::string& receiver);
  /// As what others reach this process: its id, or the name of its lead.
  void own_name_is(const std::string& receiver);
  std::string own_name() const;

  // Of the thread that carries.
  std::vector<PassageRow> to_send(size_t bytes_max);
  void arrived(const std::vector<PassageRow>& rows);
  /// Whom calls were sent that lead no more.
  std::set<std::string> stray_receivers() const;
  /// Ends the calls to it. `untaken` are the numbers of those that it has not heard of.
  void drop_strays(const std::string& receiver, const std::set<uint64_t>& untaken);
  /// Breaks off calls of others than these.
  void keep_only(const std::set<std::string>& callers);
  /// What was sent may be lost: all are broken off, and the others are told.
  void break_all();
  bool idle() const;
  Passages::Counts counts() const;

 private:
  friend class Way;
  using Key = std::pair<std::string, uint64_t>;  ///< the other side, and the caller's number
  using Events = std::vector<std::function<void()>>;
  struct State {
    std::shared_ptr<PassageEar> ear;
    std::string opening;
    std::string sender;  ///< what this side is called in it
    bool unopened = false;
    bool called = false;  ///< by this side
    std::string pending;  ///< said and not sent
    size_t sent = 0;      ///< of `pending`: its front is cut off now and then
    size_t window = 0;    ///< that may still be sent
    uint64_t next_out = 0, next_in = 0;
    size_t taken = 0;  ///< by this side, and not yet told
    bool full = false;
    bool finishing = false;
    bool listed = false;
  };
  void say(const Key& key, std::string_view bytes);
  size_t room(const Key& key) const;
  void took(const Key& key, size_t bytes);
  void finish(const Key& key);
  void drop(const Key& key);
  void refuse(const Key& key);
  void let_go(const Key& key, PassageRow::Kind kind);

  void list(const Key& key, State& state);
  void part(const Key& key, const State& state, PassageRow::Kind kind);
  void end(std::map<Key, State>::iterator at, PassageEnd how, bool tell, Events& events);
  void take_row(const PassageRow& row, Events& events);
  void open(const PassageRow& row, Events& events);
  /// Rows of one passage; true when it is done with.
  bool add_rows(const Key& key, State& state, std::vector<PassageRow>& rows, size_t& bytes_left);
  static bool has_more(const State& state);

  const PassageLimits limits_;
  const std::string own_id_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::string own_name_;
  std::string leader_;
  Passages::Taker taker_;
  std::map<Key, State> states_;
  std::deque<Key> listed_;
  std::vector<PassageRow> farewells_;
  uint64_t next_number_ = 1;
  Passages::Counts counts_;
};

}  // namespace fermata::postgres
