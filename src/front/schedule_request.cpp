#include "front/schedule_request.h"

#include "front/fields.h"
#include "front/start_request.h"

namespace fermata::front {
namespace {

/// Overwrites what the body names; null means the default.
class SpecReader {
 public:
  SpecReader(const Value& body, schedule::Spec& spec) : body_(body), fields_(body), spec_(spec) {}

  Outcome<ScheduleRequest> read(const ZoneTable& zones) {
    ScheduleRequest request;
    request.id = fields_.id("id").value_or("");
    if (request.id.find(':') != std::string::npos)
      fields_.wrong("id", "Ids with a colon are those of workflows' own triggers.");
    read_rule();
    read_run();
    read_policy();
    request.paused = fields_.boolean("paused");
    FERMATA_TRY_VOID(fields_.finish());
    FERMATA_TRY_VOID(schedule::refuse_wrong(spec_, zones));
    request.spec = spec_;
    return request;
  }

 private:
  /// A field that is not given is known all the same.
  bool names(std::string_view name) {
    if (body_.is_object() && body_.find(name)) return true;
    fields_.any(name);
    return false;
  }
  bool has(std::string_view name) const { return body_.is_object() && body_.find(name); }

  void read_rule() {
    if (names("cron")) {
      spec_.cron = fields_.text("cron").value_or("");
      // The other kind of rule gives way, unless it is asked for as well.
      if (!has("every_ms") && !spec_.cron.empty()) spec_.every_ms = 0;
    }
    if (names("every_ms")) {
      spec_.every_ms =
          fields_.integer("every_ms", schedule::every_ms_min, schedule::every_ms_max).value_or(0);
      if (!has("cron") && spec_.every_ms != 0) spec_.cron.clear();
    }
    if (names("timezone")) spec_.timezone = fields_.text("timezone", 100).value_or("UTC");
    if (names("gap_policy"))
      spec_.gap_policy = choice("gap_policy", gap_policy_of, GapPolicy::gap_end,
                                "`gap_end` or `shift` is expected.");
    if (names("start_at")) spec_.start_at = fields_.instant("start_at");
    if (names("end_at")) spec_.end_at = fields_.instant("end_at");
  }

  void read_run() {
    if (names("workflow_id")) spec_.workflow = WorkflowId(fields_.id("workflow_id").value_or(""));
    if (names("version"))
      spec_.version = static_cast<uint32_t>(fields_.integer("version", 1, UINT32_MAX).value_or(0));
    if (const Value* input = fields_.any("input"))
      spec_.input = input->is_null() ? Value::object() : *input;
    if (names("labels")) {
      spec_.labels = fields_.object("labels");
      fields_.add(check_labels(spec_.labels));
    }
  }

  void read_policy() {
    if (names("jitter_ms"))
      spec_.jitter_ms = fields_.integer("jitter_ms", 0, schedule::jitter_ms_max).value_or(0);
    if (names("overlap"))
      spec_.overlap = choice("overlap", schedule::overlap_of, schedule::Overlap::skip,
                             "`skip`, `queue`, `allow` or `cancel_previous` is expected.");
    if (names("catch_up"))
      spec_.catch_up = choice("catch_up", schedule::catch_up_of, schedule::CatchUp::one,
                              "`one`, `all` or `none` is expected.");
    if (names("catch_up_ms"))
      spec_.catch_up_ms = fields_.integer("catch_up_ms", 0, schedule::catch_up_ms_max)
                              .value_or(schedule::Spec{}.catch_up_ms);
    if (names("max_runs"))
      spec_.max_runs = static_cast<uint64_t>(fields_.integer("max_runs", 1, INT64_MAX).value_or(0));
  }

  template <class E, class Of>
  E choice(std::string_view name, Of of, E standard, const char* expected) {
    auto text = fields_.text(name);
    if (!text) return standard;
    auto known = of(*text);
    if (!known) fields_.wrong(name, expected);
    return known.value_or(standard);
  }

  const Value& body_;
  Fields fields_;
  schedule::Spec& spec_;
};

}  // namespace

Outcome<ScheduleRequest> read_schedule(const Value& body, const ZoneTable& zones) {
  schedule::Spec spec;
  spec.input = Value::object();
  return SpecReader(body, spec).read(zones);
}

Outcome<ScheduleRequest> read_schedule_change(const Value& body, const schedule::Spec& from,
                                              const ZoneTable& zones) {
  schedule::Spec spec = from;
  return SpecReader(body, spec).read(zones);
}

Outcome<BackfillRequest> read_backfill(const Value& body) {
  Fields fields(body);
  BackfillRequest request;
  fields.require("from");
  fields.require("to");
  request.from = fields.instant("from").value_or(Instant{});
  request.to = fields.instant("to").value_or(Instant{});
  request.dry_run = fields.boolean("dry_run").value_or(false);
  if (request.to < request.from) fields.wrong("to", "It must not be before \"from\".");
  FERMATA_TRY_VOID(fields.finish());
  return request;
}

}  // namespace fermata::front
