#include <algorithm>

#include "ports/reader.h"

namespace fermata {
namespace {

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool holds(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) { return folded(a) == folded(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool listens_to(const Wait& wait, const std::string& event_type) {
  return std::any_of(wait.listeners.begin(), wait.listeners.end(),
                     [&](const Listener& one) { return one.event_type == event_type; });
}

}  // namespace

bool matches(const WaitFilter& filter, const WaitRecord& record) {
  const Wait& wait = record.wait;
  auto other = [](const auto& wanted, const auto& has) { return !wanted.empty() && wanted != has; };
  if (other(filter.account, record.account) || other(filter.workflow, record.workflow) ||
      other(filter.run, record.run) || other(filter.contact_id, record.contact_id) ||
      other(filter.type, wait.type) || other(filter.step, wait.step)) {
    return false;
  }
  bool any_status = filter.statuses.empty();
  if (!any_status && std::find(filter.statuses.begin(), filter.statuses.end(), wait.status) ==
                         filter.statuses.end()) {
    return false;
  }
  if (filter.source && *filter.source != wait.source) return false;
  if (filter.unheld && !wait.hold.empty() && wait.hold != held_by_switch) return false;
  if (filter.on_hold && *filter.on_hold == wait.hold.empty()) return false;
  Instant due = due_or_never(wait);
  if (filter.due_from && due < *filter.due_from) return false;
  if (filter.due_to && due >= *filter.due_to) return false;
  if (!filter.event_type.empty() && !listens_to(wait, filter.event_type)) return false;
  return filter.q.empty() || holds(wait.id, filter.q) || holds(record.run.text(), filter.q) ||
         holds(record.workflow.text(), filter.q) || holds(wait.step, filter.q) ||
         holds(record.contact_id, filter.q);
}

WaitPlace place_of(const WaitRecord& record) { return {due_or_never(record.wait), record.wait.id}; }

std::string cursor_of(const WaitRecord& record) {
  WaitPlace place = place_of(record);
  return std::to_string(place.due.ms) + "." + place.id;
}

Outcome<std::optional<WaitPlace>> wait_place(const std::string& cursor) {
  if (cursor.empty()) return std::optional<WaitPlace>{};
  size_t dot = cursor.find('.');
  bool digits = dot > 0 && dot < 18 &&
                cursor.find_first_not_of("0123456789", cursor[0] == '-' ? 1 : 0) == dot;
  if (!digits || dot + 1 == cursor.size()) {
    return fail(
        ErrorCode::invalid_query, "cursor: This is not a cursor that this list has given.",
        {Finding{"invalid_query", "cursor", "This is not a cursor that this list has given.", {}}});
  }
  return std::optional(
      WaitPlace{Instant{std::stoll(cursor.substr(0, dot))}, cursor.substr(dot + 1)});
}

}  // namespace fermata
