#include "host/run_cache.h"

#include "core/run/checkpoint.h"

namespace fermata {

namespace {

Outcome<Run> fold_since(const RunId& id, const StoredRun& stored, const DefinitionLookup& lookup) {
  FERMATA_TRY(run, restore_checkpoint(id, stored.checkpoint->bytes, lookup));
  if (run.last_sequence != stored.checkpoint->sequence)
    return fail(ErrorCode::data_damaged, "the checkpoint is of another moment");
  return fold_on(std::move(run), stored.history, lookup);
}

}  // namespace

Outcome<Run> open_run(const RunId& id, const StoredRun& stored, Definitions& definitions) {
  std::optional<Error> failure;
  auto lookup = [&](const DefinitionHash& hash) -> graph::DefinitionRef {
    auto found = definitions.definition(hash);
    if (found) return *found;
    failure = found.error();
    return nullptr;
  };
  auto run = stored.checkpoint ? fold_since(id, stored, lookup) : fold(id, stored.history, lookup);
  if (!run && failure) return Failure{*failure};
  return run;
}

Outcome<void> RunCache::fetch(const std::vector<RunId>& ids) {
  std::vector<RunId> missing;
  for (const RunId& id : ids)
    if (!runs_.contains(id)) missing.push_back(id);
  if (missing.empty()) return {};
  auto together = store_.load(missing);
  if (!together && together.error().code != ErrorCode::data_damaged)
    return Failure{std::move(together).error()};
  bool damaged = !together;
  std::vector<StoredRun> loaded;
  if (!damaged) loaded = *std::move(together);
  for (size_t i = 0; i < missing.size(); ++i) {
    const RunId& id = missing[i];
    if (damaged) {
      // One of them is damaged; the others must not suffer for it.
      auto alone = store_.load(std::span(&id, 1));
      loaded.push_back(alone ? std::move(alone->front()) : StoredRun{});
      if (!alone) {
        damaged_.emplace(id, alone.error());
        continue;
      }
    }
    // The same id may have been asked for twice.
    if (runs_.contains(id)) continue;
    if (loaded[i].version == 0) {
      insert(id);
      continue;
    }
    FERMATA_TRY_VOID(open(id, std::move(loaded[i])));
  }
  return {};
}

/// Fails when the store does; damage is noted. What a checkpoint that cannot be read stands for is
/// in the history too.
Outcome<void> RunCache::open(const RunId& id, StoredRun stored) {
  checkpoints_unreadable_ += stored.checkpoints_damaged;
  Outcome<Run> run = open_run(id, stored, definitions_);
  while (!run && stored.checkpoint) {
    ++checkpoints_unreadable_;
    FERMATA_TRY(older, store_.load(std::span(&id, 1), stored.checkpoint->sequence));
    stored = std::move(older.front());
    run = open_run(id, stored, definitions_);
  }
  if (!run) {
    damaged_.emplace(id, run.error());
    return {};
  }
  if (stored.checkpoint) ++checkpoints_restored_;
  OpenRun& open = insert(id);
  open.version = stored.version;
  open.run = *std::move(run);
  if (open.run.script) open.since_checkpoint.script_fuel = open.run.script->fuel;
  for (const HistoryChunk& chunk : stored.history) {
    open.since_checkpoint.events += chunk.count;
    open.since_checkpoint.bytes += chunk.bytes.size();
  }
  return {};
}

OpenRun& RunCache::assume_new(const RunId& id) {
  OpenRun& open = insert(id);
  open.assumed = true;
  return open;
}

OpenRun& RunCache::insert(const RunId& id) {
  by_use_.push_front(id);
  Entry& entry = runs_[id];
  entry.place = by_use_.begin();
  entry.open.run.id = id;
  return entry.open;
}

OpenRun* RunCache::find(const RunId& id) {
  auto found = runs_.find(id);
  if (found == runs_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second.place);
  return &found->second.open;
}

const Error* RunCache::damage(const RunId& id) const {
  auto found = damaged_.find(id);
  return found == damaged_.end() ? nullptr : &found->second;
}

void RunCache::forget(const RunId& id) {
  auto found = runs_.find(id);
  if (found == runs_.end()) return;
  by_use_.erase(found->second.place);
  runs_.erase(found);
}

void RunCache::trim() {
  for (auto last = by_use_.end(); runs_.size() > runs_max_ && last != by_use_.begin();) {
    --last;
    auto found = runs_.find(*last);
    if (found->second.open.undurable()) continue;
    runs_.erase(found);
    last = by_use_.erase(last);
  }
}

}  // namespace fermata
