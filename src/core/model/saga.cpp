#include "core/model/saga.h"

#include <algorithm>

namespace fermata {

std::string_view name_of(UndoStatus status) {
  switch (status) {
    case UndoStatus::recorded: return "recorded";
    case UndoStatus::submitted: return "submitted";
    case UndoStatus::done: return "done";
    case UndoStatus::parked: return "parked";
    case UndoStatus::skipped: return "skipped";
  }
  return "";
}

namespace {

constexpr std::string_view saga_status_names[] = {"none",   "open",        "rolling_back",
                                                  "parked", "rolled_back", "closed"};

}  // namespace

std::string_view name_of(SagaStatus status) {
  return saga_status_names[static_cast<size_t>(status)];
}

std::optional<SagaStatus> saga_status_of(std::string_view name) {
  for (size_t i = 0; i < std::size(saga_status_names); ++i)
    if (saga_status_names[i] == name) return static_cast<SagaStatus>(i);
  return std::nullopt;
}

const SagaEntry* Saga::of_job(const JobId& job) const {
  for (const SagaEntry& entry : entries)
    if (entry.job == job) return &entry;
  return nullptr;
}

SagaEntry* Saga::find(uint32_t seq) {
  return seq == 0 || seq > entries.size() ? nullptr : &entries[seq - 1];
}

const SagaEntry* Saga::newest_unsettled() const {
  auto found = std::find_if(entries.rbegin(), entries.rend(),
                            [](const SagaEntry& entry) { return !is_settled(entry.status); });
  return found == entries.rend() ? nullptr : &*found;
}

const SagaEntry* Saga::submitted() const {
  for (const SagaEntry& entry : entries)
    if (entry.status == UndoStatus::submitted) return &entry;
  return nullptr;
}

SagaStatus status_of(const Saga& saga, RunStatus run) {
  if (saga.rolled_back) return SagaStatus::rolled_back;
  if (saga.rolling_back) {
    const SagaEntry* next = saga.newest_unsettled();
    bool parked = saga.awaited.empty() && next && next->status == UndoStatus::parked;
    return parked && !saga.submitted() ? SagaStatus::parked : SagaStatus::rolling_back;
  }
  if (saga.entries.empty() && saga.members.empty()) return SagaStatus::none;
  return run == RunStatus::completed ? SagaStatus::closed : SagaStatus::open;
}

}  // namespace fermata
