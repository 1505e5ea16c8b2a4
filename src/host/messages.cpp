#include <algorithm>

#include "host/partition.h"

/// What other programs are told of runs and what they send (ADR 0055): both stand in the commit.
namespace fermata {

/// A decision may close a split that its own events happened in.
void Host::Partition::note_scopes(Touched& touched) const {
  if (!touched.events.empty()) return;
  touched.scopes.clear();
  for (const auto& [id, scope] : touched.open->run.scopes)
    touched.scopes.emplace(id, OpenScope{scope.split, scope.total, scope.outer});
}

/// By an earlier commit of the run, or by what is about to be one.
Outcome<bool> Host::Partition::was_taken(const Touched& touched, const Item& item) const {
  auto same = [&](const DecidedItem& other) {
    return !other.refusal && other.item.mark == item.mark;
  };
  if (std::any_of(touched.items.begin(), touched.items.end(), same)) return true;
  if (!ports_.outbox || !touched.open->run.exists() || touched.open->assumed) return false;
  return ports_.outbox->is_marked(item.command.run, item.mark);
}

void Host::Partition::add_messages(const Touched& touched, RunWrite& write) const {
  // What was taken before has its mark, and keeps it as long as it was promised.
  for (const DecidedItem& decided : touched.items)
    if (!decided.refusal && !decided.repeated && !decided.item.mark.empty())
      write.marks.push_back({decided.item.mark, touched.events.front().at});
  if (ports_.announcer)
    write.outbox = ports_.announcer->announce(touched.open->run, touched.events, touched.scopes);
}

bool Host::Partition::submit_message(Command command, std::string mark, Reply reply) {
  if (stopping_) return false;
  Item item{std::move(command), std::move(reply)};
  item.mark = std::move(mark);
  return queue_.push(item);
}

}  // namespace fermata
