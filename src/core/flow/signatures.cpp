#include "core/flow/signatures.h"

#include "core/flow/library.h"

namespace fermata::flow {

namespace {

constexpr Option retry_options[] = {
    {"max_attempts", Takes::positive}, {"backoff_ms", Takes::count}, {"multiplier", Takes::number},
    {"max_backoff_ms", Takes::count},  {"jitter", Takes::number},    {"retry_on", Takes::any},
};
constexpr Option budget_options[] = {
    {"deadline_ms", Takes::count},       {"max_input_tokens", Takes::count},
    {"max_output_tokens", Takes::count}, {"max_total_tokens", Takes::count},
    {"max_cost_micros", Takes::count},
};
constexpr Option scheduling_options[] = {{"max_attempts", Takes::count}};
constexpr Option concurrency_options[] = {{"key", Takes::name}, {"limit", Takes::positive}};
constexpr Option compensation_options[] = {
    {"topic", Takes::name},
    {"input", Takes::any},
    {"labels", Takes::object},
    {"env", Takes::object},
    {"budget", Takes::options, budget_options},
    {"capability", Takes::text},
    {"risk_tags", Takes::array},
    {"requires", Takes::array},
    {"retry", Takes::options, retry_options},
    {"idempotency_key", Takes::text},
    {"when", Takes::any},
};
constexpr std::string_view parent_words = "keep cancel";
constexpr Option task_options[] = {
    {"pool", Takes::text},
    {"queue", Takes::text},
    {"capability", Takes::text},
    {"priority", Takes::text, {}, "critical interactive batch"},
    {"labels", Takes::object},
    {"timeout_ms", Takes::count},
    {"deadline_ms", Takes::count},
    {"retry", Takes::options, retry_options},
    {"idempotency_key", Takes::text},
    {"compensation", Takes::options, compensation_options},
    {"on_parent_end", Takes::text, {}, parent_words},
    {"env", Takes::object},
    {"adapter_id", Takes::text},
    {"memory_id", Takes::text},
    {"risk_tags", Takes::array},
    {"requires", Takes::array},
    {"pack_id", Takes::text},
    {"budget", Takes::options, budget_options},
    {"start_timeout_ms", Takes::count},
    {"queue_timeout_ms", Takes::count},
    {"scheduling", Takes::options, scheduling_options},
    {"concurrency", Takes::options, concurrency_options},
};
constexpr Option child_options[] = {
    {"version", Takes::positive},
    {"labels", Takes::object},
    {"timeout_ms", Takes::count},
    {"idempotency_key", Takes::text},
    {"on_parent_end", Takes::text, {}, parent_words},
};
constexpr Option composite_options[] = {{"cancel", Takes::flag}};
constexpr Option signal_options[] = {
    {"timeout", Takes::duration}, {"otherwise", Takes::any}, {"match", Takes::object}};
constexpr Option approval_options[] = {
    {"title", Takes::name},       {"details", Takes::any},   {"approvers", Takes::any},
    {"timeout", Takes::duration}, {"otherwise", Takes::any},
};
constexpr Option error_options[] = {
    {"code", Takes::text}, {"details", Takes::any}, {"cause", Takes::any}};
constexpr Option base64_options[] = {{"url", Takes::any}};

constexpr Parameter one_any[] = {{Takes::any}};
constexpr Parameter two_any[] = {{Takes::any}, {Takes::any}};
constexpr Parameter one_number[] = {{Takes::number}};
constexpr Parameter two_numbers[] = {{Takes::number}, {Takes::number}};
constexpr Parameter one_array[] = {{Takes::array}};
constexpr Parameter one_object[] = {{Takes::object}};
constexpr Parameter one_text[] = {{Takes::text}};
constexpr Parameter key_of[] = {{Takes::object}, {Takes::key}};
constexpr Parameter parse_number[] = {{Takes::any}, {Takes::number}};
constexpr Parameter list_from[] = {{Takes::any}, {Takes::function}};
constexpr Parameter error_of[] = {{Takes::any}, {Takes::options, error_options}};
constexpr Parameter instant_in_zone[] = {{Takes::instant}, {Takes::text}};
constexpr Parameter shifted[] = {{Takes::instant}, {Takes::shift}};
constexpr Parameter one_shift[] = {{Takes::shift}};
constexpr Parameter encoded[] = {{Takes::text}, {Takes::options, base64_options}};
constexpr Parameter task_of[] = {{Takes::name}, {Takes::any}, {Takes::options, task_options}};
constexpr Parameter child_of[] = {{Takes::name}, {Takes::any}, {Takes::options, child_options}};
constexpr Parameter composite_of[] = {{Takes::items}, {Takes::options, composite_options}};
constexpr Parameter one_duration[] = {{Takes::duration}};
constexpr Parameter one_until[] = {{Takes::until}};
constexpr Parameter signal_of[] = {{Takes::name}, {Takes::options, signal_options}};
constexpr Parameter signal_to[] = {{Takes::name}, {Takes::name}, {Takes::any}};
constexpr Parameter approval_of[] = {{Takes::options, approval_options}};

struct Row {
  Owner owner;
  std::string_view name;  ///< empty: every function of the owner that has no row of its own
  Signature signature;
};
constexpr Row rows[] = {
    {Owner::math_space, "random", {}},
    {Owner::math_space, "pow", {two_numbers}},
    {Owner::math_space, "atan2", {two_numbers}},
    {Owner::math_space, "", {one_number, true}},
    {Owner::object_space, "fromEntries", {one_array}},
    {Owner::object_space, "assign", {one_object, true}},
    {Owner::object_space, "hasOwn", {key_of}},
    {Owner::object_space, "clone", {one_any}},
    {Owner::object_space, "equals", {two_any}},
    {Owner::object_space, "is", {two_any}},
    {Owner::object_space, "", {one_object}},
    {Owner::array_space, "from", {list_from}},
    {Owner::number_space, "parseInt", {parse_number}},
    {Owner::global, "parseInt", {parse_number}},
    {Owner::global, "Error", {error_of}},
    {Owner::global, "wait_for_signal", {signal_of, false, true}},
    {Owner::json_space, "parse", {one_text}},
    {Owner::time_space, "iso", {one_number}},
    {Owner::time_space, "parse", {one_text}},
    {Owner::time_space, "parts", {instant_in_zone}},
    {Owner::time_space, "format", {instant_in_zone}},
    {Owner::time_space, "startOfDay", {instant_in_zone}},
    {Owner::time_space, "add", {shifted}},
    {Owner::duration_space, "format", {one_number}},
    {Owner::duration_space, "", {one_shift}},
    {Owner::random_space, "int", {two_numbers}},
    {Owner::random_space, "pick", {one_array}},
    {Owner::base64_space, "", {encoded}},
    {Owner::hash_space, "", {one_text}},
    {Owner::task_space, "run", {task_of, false, true}},
    {Owner::task_space, "delay", {one_duration, false, true}},
    {Owner::task_space, "", {composite_of, false, true}},
    {Owner::promise_space, "", {composite_of, false, true}},
    {Owner::timer_space, "delay", {one_duration, false, true}},
    {Owner::timer_space, "until", {one_until, false, true}},
    {Owner::signal_space, "next", {signal_of, false, true}},
    {Owner::signal_space, "send", {signal_to, false, true}},
    {Owner::workflow_space, "run", {child_of, false, true}},
    {Owner::workflow_space, "start", {child_of}},
    {Owner::approval_space, "request", {approval_of, false, true}},
    {Owner::run_space, "progress", {two_numbers}},
};

}  // namespace

const Signature* signature_of(uint32_t builtin_number) {
  const Builtin& wanted = builtin(builtin_number);
  for (const Row& row : rows) {
    if (row.owner == wanted.owner && (row.name.empty() || row.name == wanted.name)) {
      return &row.signature;
    }
  }
  return nullptr;
}

}  // namespace fermata::flow
