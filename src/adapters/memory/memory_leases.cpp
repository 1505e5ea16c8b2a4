#include "adapters/memory/memory_leases.h"

namespace fermata {

std::vector<LeaseAnswer> MemoryLeases::take(std::span<const LeaseWanted> wanted) {
  Instant now = clock_.now();
  std::vector<LeaseAnswer> answers;
  answers.reserve(wanted.size());
  for (const LeaseWanted& one : wanted) {
    Kept& kept = book_.leases[one.name];
    if (kept.until > now) {
      answers.push_back({LeaseState::busy});
      continue;
    }
    kept = {++book_.fences, now + one.ttl, this};
    answers.push_back({LeaseState::held, kept.fence});
  }
  // Names of jobs come and go: what has ended is not kept for ever.
  if (book_.leases.size() > pruned_above)
    std::erase_if(book_.leases, [&](const auto& each) { return each.second.until <= now; });
  return answers;
}

MemoryLeases::Kept* MemoryLeases::ours(const LeaseHeld& held) {
  auto found = book_.leases.find(held.name);
  if (found == book_.leases.end()) return nullptr;
  Kept& kept = found->second;
  bool valid = kept.fence == held.fence && kept.holder == this && kept.until > clock_.now();
  return valid ? &kept : nullptr;
}

std::vector<LeaseAnswer> MemoryLeases::renew(std::span<const LeaseHeld> held) {
  std::vector<LeaseAnswer> answers;
  answers.reserve(held.size());
  for (const LeaseHeld& one : held) {
    Kept* kept = ours(one);
    if (kept) kept->until = clock_.now() + one.ttl;
    answers.push_back(kept ? LeaseAnswer{LeaseState::held, kept->fence}
                           : LeaseAnswer{LeaseState::gone});
  }
  return answers;
}

void MemoryLeases::give_back(std::span<const LeaseHeld> held) {
  for (const LeaseHeld& one : held)
    if (ours(one)) book_.leases.erase(one.name);
}

}  // namespace fermata
