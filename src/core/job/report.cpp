#include "core/job/report.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "core/job/json_fields.h"

namespace fermata::job {

namespace {

int64_t sum(int64_t a, int64_t b) {
  int64_t total = 0;
  return __builtin_add_overflow(a, b, &total) ? INT64_MAX : total;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void wrong(std::vector<Finding>& findings, std::string path, std::string message) {
  findings.push_back({"invalid_field", std::move(path), std::move(message), {}});
}

void check_error(std::vector<Finding>& findings, const Report& report) {
  if (report.error.is_null()) return;
  const Value& code = report.error.get("code");
  if (!code.is_string() || code.as_string().empty() || code.as_string().size() > name_bytes_max)
    wrong(findings, "/error/code",
          "A text of 1 to " + std::to_string(name_bytes_max) + " bytes is expected.");
  if (const Value* message = report.error.find("message"); message && !message->is_string())
    wrong(findings, "/error/message", "A text is expected.");
  if (const Value* details = report.error.find("details");
      details && to_json(*details).size() > error_details_bytes_max)
    wrong(findings, "/error/details",
          "At most " + std::to_string(error_details_bytes_max) + " bytes of JSON are allowed.");
}

void check_artifacts(std::vector<Finding>& findings, const Report& report,
                     const ReportLimits& limits) {
  if (report.artifacts.size() > artifacts_max)
    wrong(findings, "/artifacts", "At most " + std::to_string(artifacts_max) + " are allowed.");
  for (size_t i = 0; i < report.artifacts.size(); ++i) {
    const Artifact& artifact = report.artifacts[i];
    std::string path = "/artifacts/" + std::to_string(i);
    if (artifact.name.empty() || artifact.name.size() > artifact_name_bytes_max)
      wrong(findings, path + "/name",
            "A text of 1 to " + std::to_string(artifact_name_bytes_max) + " bytes is expected.");
    if (!is_sha256(artifact.sha256))
      wrong(findings, path + "/sha256", "The hex SHA-256 of the bytes is expected.");
    if (artifact.bytes > limits.artifact_bytes_max)
      wrong(findings, path + "/size",
            "At most " + std::to_string(limits.artifact_bytes_max) + " bytes are allowed.");
  }
}

}  // namespace

Usage operator+(const Usage& a, const Usage& b) {
  return {sum(a.input_tokens, b.input_tokens), sum(a.output_tokens, b.output_tokens),
          sum(a.cost_micros, b.cost_micros)};
}

std::vector<Finding> check_report(const Report& report, const ReportLimits& limits) {
  std::vector<Finding> findings;
  if (report.output.value.nests_deeper_than(limits.nesting_max))
    wrong(findings, "/output",
          "At most " + std::to_string(limits.nesting_max) + " levels of nesting are allowed.");
  if (report.output.in_blob && !is_sha256(report.output.sha256))
    wrong(findings, "/output_blob", "The hex SHA-256 of the bytes is expected.");
  if (report.error.nests_deeper_than(limits.nesting_max)) {
    wrong(findings, "/error",
          "At most " + std::to_string(limits.nesting_max) + " levels of nesting are allowed.");
  } else {
    check_error(findings, report);
  }
  if (report.execution_ms < 0) wrong(findings, "/execution_ms", "0 or more is expected.");
  if (report.usage.input_tokens < 0)
    wrong(findings, "/usage/input_tokens", "0 or more is expected.");
  if (report.usage.output_tokens < 0)
    wrong(findings, "/usage/output_tokens", "0 or more is expected.");
  if (report.usage.cost_micros < 0) wrong(findings, "/usage/cost_micros", "0 or more is expected.");
  check_artifacts(findings, report, limits);
  return findings;
}

std::string digest_of(const Report& report) {
  Value said = Value::object({{"status", name_of(report.status)},
                              {"output", report.output.sha256},
                              {"error", report.error},
                              {"execution_ms", report.execution_ms},
                              {"usage", to_value(report.usage)}});
  Value artifacts = Value::array();
  for (const Artifact& artifact : report.artifacts) artifacts.push(to_value(artifact));
  said.set("artifacts", std::move(artifacts));
  return sha256_hex(to_canonical_json(said));
}

Value make_error(std::string_view code, std::string_view message, Value details) {
  if (message.size() > error_text_bytes_max) {
    size_t end = error_text_bytes_max;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
    message = message.substr(0, end);
  }
  Value error = Value::object({{"code", code}, {"message", message}});
  if (!details.is_null()) error.set("details", std::move(details));
  return error;
}

}  // namespace fermata::job
