#include "server/whereabouts.h"

#include <algorithm>

#include "core/model/run.h"
#include "core/run/script_asks.h"

namespace fermata::server {
namespace {

using Place = Whereabouts::Place;
using Wanted = Whereabouts::Wanted;

/// A wait that is this much late is worth a word.
constexpr Duration late{5'000};
constexpr Duration day{24 * 3'600'000};
constexpr uint32_t attempts_many = 3;
constexpr size_t looked_at_once_max = 4'096;

std::string_view kind_of(Parked parked) {
  switch (parked) {
    case Parked::start:
    case Parked::timer: return "timer";
    case Parked::call: return "call";
    case Parked::retry: return "retry";
    case Parked::signal:
    case Parked::event: return "signal";
    case Parked::job: return "job";
    case Parked::child: return "child";
    case Parked::approval: return "approval";
    case Parked::bus: return "on_bus";
    default: return "";
  }
}

/// Each place once: of many tokens at a node the one that was tried most often, and the one that
/// goes on first.
class PlaceList {
 public:
  void add(Place place) {
    auto same = [&](const Place& other) {
      return other.node == place.node && other.kind == place.kind;
    };
    auto found = std::find_if(places_.begin(), places_.end(), same);
    if (found == places_.end()) {
      if (places_.size() < Whereabouts::places_max) places_.push_back(std::move(place));
      return;
    }
    found->attempt = std::max(found->attempt, place.attempt);
    if (place.at && (!found->at || *place.at < *found->at)) found->at = place.at;
  }
  std::vector<Place> take() { return std::move(places_); }

 private:
  std::vector<Place> places_;
};

std::string text_of(const Value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

void add_tokens(const Run& run, PlaceList& places) {
  size_t looked_at = 0;
  for (const auto& [id, token] : run.tokens) {
    if (++looked_at > Whereabouts::looked_at_max) break;
    std::string_view kind = kind_of(token.parked);
    if (kind.empty()) continue;
    bool tried = token.parked == Parked::retry || token.attempt > 1;
    uint32_t failed = token.parked == Parked::retry ? token.attempt : token.attempt - 1;
    auto wait = run.waits.find({WaitSource::graph, id});
    bool held =
        wait != run.waits.end() && (!wait->second.hold.empty() || !is_pending(wait->second.status));
    places.add({run.definition->nodes[token.node].id, kind, tried ? failed : 0,
                held ? std::nullopt : token.due});
  }
}

void add_script(const Run& run, PlaceList& places) {
  if (run.script_begins) places.add({"", "timer", 0, run.script_begins});
  for (const auto& [fiber, parked] : run.script->parked) {
    auto found = run.script->awaitables.find(parked.awaiting);
    if (found == run.script->awaitables.end()) continue;
    flow::AwaitableKind kind = found->second.kind;
    places.add({node_name(parked.place),
                kind == flow::AwaitableKind::task ? "job" : flow::kind_name(kind), 0,
                found->second.due});
  }
}

std::vector<Place> places_of(const Run& run) {
  PlaceList places;
  if (run.status == RunStatus::failed || run.status == RunStatus::timed_out)
    places.add(
        {text_of(run.error.get("node")), "failed", 0, run.completed_at.value_or(run.last_at)});
  if (is_terminal(run.status) && !run.saga.rolling_back) return places.take();
  if (run.script) add_script(run, places);
  add_tokens(run, places);
  for (const auto& [key, wait] : run.waits)
    if (key.source == WaitSource::api && is_pending(wait.status))
      places.add({wait.step, "wait", 0, wait.hold.empty() ? wait.due : std::nullopt});
  for (const auto& [id, key] : run.pending_merges)
    places.add({run.definition->nodes[key.node].id, "merge"});
  for (const auto& [id, scope] : run.scopes) {
    NodeIndex aggregator = run.definition->nodes[scope.split].aggregator;
    if (!scope.closed && aggregator != graph::no_node)
      places.add({run.definition->nodes[aggregator].id, "aggregator"});
  }
  if (run.paused()) places.add({"", "paused"});
  if (run.saga.rolling_back) {
    bool stopped = status_of(run.saga, run.status) == SagaStatus::parked;
    places.add({"", stopped ? "undo_stopped" : "undo"});
  }
  return places.take();
}

bool is_failed(const std::vector<Place>& places) {
  return !places.empty() && places.front().kind == "failed";
}

bool needs_attention(const Place& place, Instant now) {
  if (place.kind == "failed") return place.at && *place.at > now - day;
  if (place.kind == "undo_stopped" || place.kind == "unreadable") return true;
  if (place.attempt >= attempts_many) return true;
  bool clocked = place.kind == "timer" || place.kind == "wait" || place.kind == "signal";
  return clocked && place.at && *place.at < now - late;
}

bool is_such(const Place& place, const Wanted& wanted, Instant now) {
  if (!wanted.node.empty() && place.node != wanted.node) return false;
  if (!wanted.kind.empty() && place.kind != wanted.kind) return false;
  if (place.attempt < wanted.attempts) return false;
  return !wanted.attention || needs_attention(place, now);
}

}  // namespace

void Whereabouts::settled(const Run& run) {
  std::vector<Place> places = places_of(run);
  std::lock_guard lock(mutex_);
  if (reading_) told_.insert(run.id.text());
  doubts_.erase(run.id);
  put(run.account, {run.started_at, run.id.text()}, run.workflow, std::move(places));
}

void Whereabouts::read(const Run& run) {
  std::vector<Place> places = places_of(run);
  std::lock_guard lock(mutex_);
  if (told_.contains(run.id.text())) return;
  put(run.account, {run.started_at, run.id.text()}, run.workflow, std::move(places));
}

void Whereabouts::unreadable(const RunSummary& run, Instant since) {
  Key key{run.started_at, run.id.text()};
  std::lock_guard lock(mutex_);
  if (told_.contains(run.id.text())) return;
  auto& of_account = accounts_[run.account];
  auto known = of_account.find(key);
  if (known != of_account.end() && !known->second.places.empty() &&
      known->second.places.front().kind == "unreadable")
    return;
  put(run.account, std::move(key), run.workflow, {{"", "unreadable", 0, since}});
}

void Whereabouts::doubt(const RunId& run, Instant at) {
  std::lock_guard lock(mutex_);
  if (doubts_.size() < doubts_max) doubts_.emplace(run, at);
}

std::vector<std::pair<RunId, Instant>> Whereabouts::doubts() const {
  std::lock_guard lock(mutex_);
  return {doubts_.begin(), doubts_.end()};
}

void Whereabouts::settle_doubt(const RunId& run) {
  std::lock_guard lock(mutex_);
  doubts_.erase(run);
}

void Whereabouts::damaged(const Error& damage) {
  std::lock_guard lock(mutex_);
  if (damages_.size() < damages_max) damages_.push_back(damage);
}

std::vector<Error> Whereabouts::damages() const {
  std::lock_guard lock(mutex_);
  return damages_;
}

void Whereabouts::put(const AccountId& account, Key key, const WorkflowId& workflow,
                      Places places) {
  auto& of_account = accounts_[account];
  auto known = of_account.find(key);
  if (known != of_account.end()) {
    of_account.erase(known);
    --runs_;
  }
  bool failed = is_failed(places);
  if (failed) {
    failed_.emplace_back(account, key);
    if (failed_.size() > failed_max) {
      auto [whose, oldest] = std::move(failed_.front());
      failed_.pop_front();
      auto& others = accounts_[whose];
      auto found = others.find(oldest);
      if (found != others.end() && is_failed(found->second.places)) {
        others.erase(found);
        --runs_;
      }
      whole_ = false;
    }
  }
  if (places.empty() || runs_ >= runs_max) {
    whole_ = whole_ && places.empty();
    return;
  }
  of_account.emplace(std::move(key), Stand{workflow, std::move(places)});
  ++runs_;
}

void Whereabouts::begin_reading() {
  std::lock_guard lock(mutex_);
  reading_ = true;
}

void Whereabouts::end_reading(bool all) {
  std::lock_guard lock(mutex_);
  reading_ = false;
  told_.clear();
  whole_ = whole_ && all;
}

std::vector<Place> Whereabouts::places(const AccountId& account, const Key& key) const {
  std::lock_guard lock(mutex_);
  auto of_account = accounts_.find(account);
  if (of_account == accounts_.end()) return {};
  auto found = of_account->second.find(key);
  return found == of_account->second.end() ? std::vector<Place>() : found->second.places;
}

// Commits wait for the mutex, so nobody looks through very many runs in one go:
// `looked_at_once_max` at a time, and then on from the same place.

Whereabouts::ByNode Whereabouts::by_node(const AccountId& account,
                                         const WorkflowId& workflow) const {
  ByNode out;
  std::optional<Key> after;
  for (bool more = true; more;) {
    std::lock_guard lock(mutex_);
    auto of_account = accounts_.find(account);
    if (of_account == accounts_.end()) return out;
    const auto& runs = of_account->second;
    auto it = after ? runs.upper_bound(*after) : runs.begin();
    for (size_t looked_at = 0; it != runs.end() && looked_at < looked_at_once_max;
         ++it, ++looked_at) {
      after = it->first;
      if (it->second.workflow != workflow) continue;
      for (const Place& place : it->second.places)
        if (!place.node.empty() && place.kind != "failed")
          ++out[place.node][std::string(place.kind)];
    }
    more = it != runs.end();
  }
  return out;
}

Whereabouts::Found Whereabouts::find(const AccountId& account, const Wanted& wanted,
                                     const std::optional<Key>& last, Instant now, size_t limit,
                                     RunOrder order) const {
  Found out;
  std::optional<Key> place = last;
  bool upwards = order == RunOrder::oldest_first;
  auto such = [&](const Place& one) { return is_such(one, wanted, now); };
  /// False when there is one more than was asked for.
  auto show = [&](const Key& key, const Places& places) {
    place = key;
    if (std::none_of(places.begin(), places.end(), such)) return true;
    out.more = out.runs.size() == limit;
    if (!out.more) out.runs.push_back(key);
    return !out.more;
  };
  for (bool more = true; more;) {
    std::lock_guard lock(mutex_);
    out.all = whole_ && !reading_;
    auto found = accounts_.find(account);
    if (found == accounts_.end()) return out;
    const auto& runs = found->second;
    size_t looked_at = 0;
    if (upwards) {
      auto it = place ? runs.upper_bound(*place) : runs.begin();
      for (; it != runs.end() && looked_at < looked_at_once_max; ++it, ++looked_at)
        if (!show(it->first, it->second.places)) return out;
      more = it != runs.end();
    } else {
      auto it = place ? runs.lower_bound(*place) : runs.end();
      for (; it != runs.begin() && looked_at < looked_at_once_max; ++looked_at) {
        --it;
        if (!show(it->first, it->second.places)) return out;
      }
      more = it != runs.begin();
    }
  }
  return out;
}

}  // namespace fermata::server
