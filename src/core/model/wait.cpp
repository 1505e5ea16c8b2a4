#include "core/model/wait.h"

#include <array>

namespace fermata {
namespace {

constexpr std::array<std::string_view, 6> wait_statuses = {"scheduled", "waiting",   "resumed",
                                                           "timeout",   "cancelled", "error"};
constexpr std::array<std::string_view, 3> wait_sources = {"api", "graph", "flow"};
constexpr std::array<std::string_view, 4> listener_statuses = {"active", "matched", "expired",
                                                               "cancelled"};

template <class E, size_t N>
std::optional<E> word_in(const std::array<std::string_view, N>& words, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (words[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

std::string text_in(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? std::string(found.as_string()) : std::string();
}

}  // namespace

std::string_view name_of(WaitStatus status) {
  return wait_statuses.at(static_cast<size_t>(status));
}
std::optional<WaitStatus> wait_status_of(std::string_view name) {
  return word_in<WaitStatus>(wait_statuses, name);
}
std::string_view name_of(WaitSource source) { return wait_sources.at(static_cast<size_t>(source)); }
std::optional<WaitSource> wait_source_of(std::string_view name) {
  return word_in<WaitSource>(wait_sources, name);
}
std::string_view name_of(ListenerStatus status) {
  return listener_statuses.at(static_cast<size_t>(status));
}
std::optional<ListenerStatus> listener_status_of(std::string_view name) {
  return word_in<ListenerStatus>(listener_statuses, name);
}

Instant latest_due() {
  static const Instant never = *parse_rfc3339("9999-12-31T00:00:00Z");
  return never;
}

Value listeners_value(const Wait& wait) {
  Value list = Value::array();
  for (const Listener& listener : wait.listeners) {
    Value shown = Value::object(
        {{"id", wait.id + "." + std::to_string(list.size() + 1)},
         {"event_type", listener.event_type},
         {"correlation_id", text_or_null(listener.correlation_id)},
         {"criteria", listener.criteria},
         {"scope", listener.scope},
         {"expires_at", to_rfc3339(due_or_never(wait))},
         {"status", name_of(listener.status)},
         {"matched_at", listener.matched_at ? Value(to_rfc3339(*listener.matched_at)) : Value()},
         {"matched_event_id", text_or_null(listener.matched_event)}});
    if (listener.window_start) shown.set("window_start", to_rfc3339(*listener.window_start));
    if (!listener.phone.empty()) shown.set("phone", listener.phone);
    if (!listener.event.is_null()) shown.set("event", listener.event);
    list.push(std::move(shown));
  }
  return list;
}

std::vector<Listener> listeners_of(const Value& list) {
  std::vector<Listener> listeners;
  if (!list.is_array()) return listeners;
  for (const Value& item : list.items()) {
    Listener listener;
    listener.event_type = text_in(item, "event_type");
    listener.correlation_id = text_in(item, "correlation_id");
    listener.criteria = item.get("criteria");
    listener.scope = text_in(item, "scope");
    listener.status =
        listener_status_of(text_in(item, "status")).value_or(ListenerStatus::cancelled);
    listener.matched_at = parse_rfc3339(text_in(item, "matched_at"));
    listener.matched_event = text_in(item, "matched_event_id");
    listener.window_start = parse_rfc3339(text_in(item, "window_start"));
    listener.phone = text_in(item, "phone");
    listener.event = item.get("event");
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

bool is_typed(const Wait& wait) {
  if (wait.source == WaitSource::flow) return false;
  if (wait.type == "fixed_time") return wait.config.find("duration") != nullptr;
  if (wait.is_for_event())
    return wait.config.find("event_type") != nullptr || wait.config.find("events") != nullptr;
  return true;
}

bool counts_in_limit(const Wait& wait) {
  return is_pending(wait.status) && wait.hold != held_by_limit && is_typed(wait);
}

bool is_overdue(const Wait& wait, Instant now) {
  return is_pending(wait.status) && wait.due && *wait.due < now &&
         (wait.hold.empty() || wait.hold == held_by_switch);
}

}  // namespace fermata
