#include "ports/dead_letters.h"

#include "core/fleet/worker.h"

namespace fermata {

std::string_view name_of(Resolution resolution) {
  switch (resolution) {
    case Resolution::none: return "";
    case Resolution::retried: return "retried";
    case Resolution::discarded: return "discarded";
    case Resolution::released: return "released";
    case Resolution::run_handled: return "run_handled";
    case Resolution::purged: return "purged";
  }
  return "";
}

bool matches(const DeadLetterFilter& filter, const DeadLetterEntry& entry) {
  const job::DeadLetter& letter = entry.letter;
  if (!filter.account.empty() && filter.account != letter.account) return false;
  if (filter.open && *filter.open != entry.open()) return false;
  if (!filter.reason_code.empty() && filter.reason_code != letter.reason_code) return false;
  if (!filter.topic.empty() && !fleet::fits(filter.topic, letter.topic)) return false;
  if (filter.status && *filter.status != letter.status) return false;
  if (!filter.job.empty() && filter.job != letter.job) return false;
  if (!filter.run.empty() && filter.run != letter.run) return false;
  if (filter.from && letter.created_at < *filter.from) return false;
  return !filter.to || letter.created_at < *filter.to;
}

void settle_entry(DeadLetterEntry& entry, const job::SettleLetter& settle) {
  entry.resolution = settle.released ? Resolution::released : Resolution::discarded;
  entry.resolved_at = settle.at;
  entry.resolved_by = settle.by;
}

}  // namespace fermata
