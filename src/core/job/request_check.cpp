#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "core/job/request.h"

namespace fermata::job {

namespace {

constexpr size_t saga_id_bytes_max = 100;

/// Collects findings below one pointer.
class Check {
 public:
  Check(std::vector<Finding>& out, std::string path) : out_(out), path_(std::move(path)) {}

  /// An empty field names the thing at the pointer itself.
  void wrong(std::string_view field, std::string message, std::string code = "invalid_field") {
    std::string path = path_;
    if (!field.empty()) path.append("/").append(escape_pointer(field));
    out_.push_back({std::move(code), std::move(path), std::move(message), {}});
  }
  Check below(std::string_view field) const {
    return Check(out_, path_ + "/" + escape_pointer(field));
  }

  void text(std::string_view field, std::string_view text, size_t bytes_max) {
    if (text.size() <= bytes_max && is_plain(text)) return;
    wrong(field, "A text of at most " + std::to_string(bytes_max) +
                     " bytes without control characters is expected.");
  }
  void range(std::string_view field, int64_t number, int64_t least, int64_t most) {
    if (number >= least && number <= most) return;
    wrong(field, "A whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                     " is expected.");
  }
  void range(std::string_view field, std::optional<int64_t> number, int64_t least, int64_t most) {
    if (number) range(field, *number, least, most);
  }

  static bool is_plain(std::string_view text) {
    return is_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
             auto byte = static_cast<unsigned char>(c);
             return byte < 0x20 || byte == 0x7f;
           });
  }

 private:
  std::vector<Finding>& out_;
  const std::string path_;
};

void check_topic(Check check, std::string_view topic) {
  if (is_valid_topic(topic)) return;
  check.wrong("topic",
              "A topic has at most " + std::to_string(topic_bytes_max) +
                  " bytes with its `job.`: words of letters, digits, _ and -, joined by dots.",
              "topic_invalid");
}

void check_labels(Check check, const Value& labels) {
  if (labels.is_null()) return;
  if (!labels.is_object()) return check.wrong("", "An object is expected.");
  if (labels.size() > labels_max)
    check.wrong("", "At most " + std::to_string(labels_max) + " labels are allowed.");
  for (const Value::Member& label : labels.members()) {
    std::string_view key = label.key.as_string();
    Check inner = check.below(key);
    if (is_reserved_label(key)) {
      inner.wrong("", "Only the engine sets this label.", "reserved_label");
      continue;
    }
    if (key.empty() || key.size() > label_key_bytes_max || !Check::is_plain(key))
      inner.wrong("", "A label's name has 1 to " + std::to_string(label_key_bytes_max) +
                          " bytes without control characters.");
    if (!label.value.is_string()) {
      inner.wrong("", "A text is expected.");
    } else {
      inner.text("", label.value.as_string(), label_value_bytes_max);
    }
  }
}

/// Names of a program's environment; what they hold is the worker's business.
void check_env(Check check, const Value& env) {
  if (env.is_null()) return;
  if (!env.is_object()) return check.wrong("", "An object is expected.");
  if (env.size() > labels_max)
    check.wrong("", "At most " + std::to_string(labels_max) + " variables are allowed.");
  for (const Value::Member& variable : env.members()) {
    std::string_view key = variable.key.as_string();
    Check inner = check.below(key);
    if (key.empty() || key.size() > label_key_bytes_max || !Check::is_plain(key) ||
        key.find('=') != std::string_view::npos)
      inner.wrong("", "A variable's name has 1 to " + std::to_string(label_key_bytes_max) +
                          " bytes without control characters and `=`.");
    if (!variable.value.is_string()) {
      inner.wrong("", "A text is expected.");
    } else if (variable.value.as_string().size() > env_value_bytes_max) {
      inner.wrong(
          "", "A text of at most " + std::to_string(env_value_bytes_max) + " bytes is expected.");
    }
  }
}

bool is_fact(std::string_view fact) {
  return !fact.empty() && fact.size() <= fact_bytes_max && Check::is_plain(fact) &&
         fact.find('|') == std::string_view::npos;
}

void check_facts(Check check, const std::vector<std::string>& facts) {
  if (facts.size() > facts_max)
    check.wrong("", "At most " + std::to_string(facts_max) + " are allowed.");
  for (const std::string& fact : facts)
    if (!is_fact(fact))
      check.wrong("", "`" + fact.substr(0, fact_bytes_max) + "`: 1 to " +
                          std::to_string(fact_bytes_max) +
                          " bytes without `|` and control characters are expected.");
}

void check_capability(Check check, std::string_view capability) {
  if (!capability.empty() && !is_fact(capability))
    check.wrong("capability", "At most " + std::to_string(fact_bytes_max) +
                                  " bytes without `|` and control characters are expected.");
}

void check_budget(Check check, const std::optional<Budget>& budget, const RequestLimits& limits) {
  if (!budget) return;
  check.range("deadline_ms", budget->deadline_ms, 1, limits.timeout_ms_max);
  check.range("max_input_tokens", budget->max_input_tokens, 0, INT64_MAX);
  check.range("max_output_tokens", budget->max_output_tokens, 0, INT64_MAX);
  check.range("max_total_tokens", budget->max_total_tokens, 0, INT64_MAX);
  check.range("max_cost_micros", budget->max_cost_micros, 0, INT64_MAX);
}

void check_retry(Check check, const std::optional<RetryPolicy>& retry,
                 const RequestLimits& limits) {
  if (!retry) return;
  check.range("max_attempts", retry->max_attempts, 1, retry_attempts_max);
  check.range("backoff_ms", retry->backoff_ms, 0, limits.timeout_ms_max);
  check.range("max_backoff_ms", retry->max_backoff_ms, 0, limits.timeout_ms_max);
  if (!(retry->multiplier >= 1 && retry->multiplier <= 1'000))
    check.wrong("multiplier", "A number from 1 to 1000 is expected.");
  if (!(retry->jitter >= 0 && retry->jitter <= 1))
    check.wrong("jitter", "A number from 0 to 1 is expected.");
  if (retry->retry_on.empty() || retry->retry_on.size() > retry_codes_max)
    check.wrong("retry_on", "1 to " + std::to_string(retry_codes_max) +
                                " error codes, or `any`, are expected.");
  for (const std::string& code : retry->retry_on)
    if (code.empty() || code.size() > name_bytes_max || !Check::is_plain(code))
      check.wrong("retry_on", "An error code has 1 to " + std::to_string(name_bytes_max) +
                                  " bytes without control characters.");
}

void check_value(Check check, std::string_view field, const Value& value, uint64_t bytes,
                 const RequestLimits& limits) {
  if (bytes > limits.input_bytes_max)
    check.wrong(field, "At most " + std::to_string(limits.input_bytes_max) +
                           " bytes of JSON are allowed (jobs_input_bytes_max).");
  if (value.nests_deeper_than(limits.nesting_max))
    check.wrong(
        field, "At most " + std::to_string(limits.nesting_max) + " levels of nesting are allowed.");
}

void check_compensation(Check check, const Compensation& undo, const RequestLimits& limits) {
  check_topic(check, undo.topic);
  if (undo.input) check_value(check, "input", undo.input->value, undo.input->bytes, limits);
  if (!undo.computed.is_null())
    check_value(check, "computed", undo.computed, to_json(undo.computed).size(), limits);
  check_labels(check.below("labels"), undo.labels);
  check_env(check.below("env"), undo.env);
  check_budget(check.below("budget"), undo.budget, limits);
  check_capability(check, undo.capability);
  check_facts(check.below("risk_tags"), undo.risk_tags);
  check_facts(check.below("requires"), undo.requires_);
  check_retry(check.below("retry"), undo.retry, limits);
  check.text("idempotency_key", undo.idempotency_key, idempotency_key_bytes_max);
}

/// It becomes the id of an execution, which stands in paths.
void check_saga_id(Check check, std::string_view id) {
  auto legal = [](char c) {
    return c > 0x20 && c < 0x7f && std::string_view("/?#%").find(c) == std::string_view::npos;
  };
  if (id.size() > saga_id_bytes_max || !std::all_of(id.begin(), id.end(), legal))
    check.wrong("saga_id",
                "At most " + std::to_string(saga_id_bytes_max) +
                    " printable ASCII characters without space / ? # % are expected.",
                "invalid_id");
}

void check_names(Check check, const Request& request) {
  check.text("adapter_id", request.adapter_id, name_bytes_max);
  check.text("memory_id", request.memory_id, name_bytes_max);
  check.text("pack_id", request.pack_id, name_bytes_max);
  check.text("principal_id", request.principal_id, name_bytes_max);
  check.below("actor").text("id", request.actor.id, name_bytes_max);
  check.text("idempotency_key", request.idempotency_key, idempotency_key_bytes_max);
  check_saga_id(check, request.saga_id);
  check.text("traceparent", request.traceparent, traceparent_bytes_max);
}

}  // namespace

std::vector<Finding> check_job_id(std::string_view id, std::string_view path) {
  auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.:@[]-").find(c) != std::string_view::npos;
  };
  if (!id.empty() && id.size() <= job_id_bytes_max && std::all_of(id.begin(), id.end(), legal))
    return {};
  return {{"invalid_id",
           std::string(path),
           "A job's id has 1 to " + std::to_string(job_id_bytes_max) +
               " letters, digits and characters of _.:@[]-.",
           {}}};
}

std::vector<Finding> check_request(const Request& request, const RequestLimits& limits) {
  std::vector<Finding> findings;
  Check check(findings, "");
  check_topic(check, request.topic);
  check_value(check, "input", request.input.value, request.input.bytes, limits);
  check_env(check.below("env"), request.env);
  check_labels(check.below("labels"), request.labels);
  check_capability(check, request.capability);
  check_facts(check.below("risk_tags"), request.risk_tags);
  check_facts(check.below("requires"), request.requires_);
  check_names(check, request);
  check_budget(check.below("budget"), request.budget, limits);
  check.range("run_timeout_ms", request.run_timeout_ms, 0, limits.timeout_ms_max);
  check.range("start_timeout_ms", request.start_timeout_ms, 0, limits.timeout_ms_max);
  check.range("queue_timeout_ms", request.queue_timeout_ms, 0, limits.timeout_ms_max);
  check_retry(check.below("retry"), request.retry, limits);
  if (request.concurrency) {
    Check inner = check.below("concurrency");
    if (request.concurrency->key.empty()) inner.wrong("key", "This field is required.");
    inner.text("key", request.concurrency->key, name_bytes_max);
    inner.range("limit", request.concurrency->limit, 1, 1'000'000);
  }
  if (request.compensation) {
    check_compensation(check.below("compensation"), *request.compensation, limits);
    if (!request.compensation->computed.is_null() && request.step.run.empty())
      check.below("compensation").wrong("computed", "Only a script's own jobs may have it.");
  }
  if (!request.parent_job.empty())
    for (Finding& finding : check_job_id(request.parent_job.text(), "/parent_job_id"))
      findings.push_back(std::move(finding));
  return findings;
}

}  // namespace fermata::job
