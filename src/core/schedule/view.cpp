#include "core/schedule/view.h"

#include <cstdio>

namespace fermata::schedule {
namespace {

constexpr size_t live_shown_max = 100;

Value shown(const std::optional<Instant>& at) { return at ? Value(to_rfc3339(*at)) : Value(); }

/// Turns fields into members.
class JsonFields {
 public:
  JsonFields(Value& out, bool with_empty) : out_(out), with_empty_(with_empty) {}

  void operator()(std::string_view name, const std::string& text) {
    if (name == "request_hash") return;
    if (!text.empty()) return out_.set(name, text);
    if (with_empty_) out_.set(name, Value());
  }
  template <class Tag>
  void operator()(std::string_view name, const Id<Tag>& id) {
    (*this)(name, id.text());
  }
  template <class Number>
    requires std::is_integral_v<Number>
  void operator()(std::string_view name, Number number) {
    bool none = number == 0 && (name == "version" || name == "every_ms" || name == "max_runs");
    if (!none) return out_.set(name, Value(number));
    if (with_empty_) out_.set(name, Value());
  }
  void operator()(std::string_view name, const Value& value) {
    if (!value.is_null() || with_empty_) out_.set(name, value);
  }
  void operator()(std::string_view name, Instant at) {
    // A local time, stored as if it were one of UTC.
    if (name == "counted_to_shown")
      return out_.set("counted_to_local", to_text(local_as_if_utc(at)));
    out_.set(name, to_rfc3339(at));
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(std::string_view name, E value) {
    out_.set(name, name_of(value));
  }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) return (*this)(name, *value);
    if (with_empty_) out_.set(name, Value());
  }

 private:
  Value& out_;
  bool with_empty_;
};

}  // namespace

Value view(const Schedule& schedule) {
  Value out = Value::object({{"id", schedule.id.text()}, {"account_id", schedule.account.text()}});
  JsonFields fields(out, true);
  Spec spec = schedule.spec;
  spec.each(fields);
  out.set("revision", schedule.revision);
  out.set("paused", schedule.paused);
  out.set("status", name_of(schedule.status()));
  out.set("ended_reason", schedule.ended.empty() ? Value() : Value(schedule.ended));
  out.set("next", shown(schedule.next));
  out.set("last_occurrence", shown(schedule.last_occurrence));
  out.set("last_execution_id",
          schedule.last_run.empty() ? Value() : Value(schedule.last_run.text()));
  out.set("runs_started", schedule.runs_started);
  out.set("skipped", schedule.skipped);
  out.set("queued", schedule.queue.size());
  Value live = Value::array();
  for (const auto& [run, one] : schedule.live) {
    if (live.size() >= live_shown_max) break;
    live.push(Value::object({{"execution_id", run.text()},
                             {"scheduled_at", to_rfc3339(one.occurrence)},
                             {"cause", name_of(one.cause)}}));
  }
  out.set("live", std::move(live));
  out.set("live_total", schedule.live.size());
  out.set("tzdata", schedule.tzdata_version);
  out.set("created_at", to_rfc3339(schedule.created_at));
  out.set("updated_at", to_rfc3339(schedule.last_at));
  return out;
}

Value view(const Event& event) {
  Value out = Value::object({{"sequence", event.sequence},
                             {"type", type_name(event.body)},
                             {"at", to_rfc3339(event.at)}});
  JsonFields fields(out, false);
  std::visit(
      [&](const auto& body) {
        const_cast<std::remove_cvref_t<decltype(body)>&>(body).each(fields);
      },
      event.body);
  return out;
}

Value view_occurrence(Instant occurrence, const Zone& zone) {
  LocalMoment moment = local_moment(occurrence, zone);
  int32_t minutes = moment.offset.seconds / 60;
  char offset[16];
  std::snprintf(offset, sizeof offset, "%c%02d:%02d", minutes < 0 ? '-' : '+',
                std::abs(minutes) / 60, std::abs(minutes) % 60);
  return Value::object({{"at", to_rfc3339(occurrence)},
                        {"local", to_text(moment.local) + offset},
                        {"zone", moment.offset.abbreviation}});
}

}  // namespace fermata::schedule
