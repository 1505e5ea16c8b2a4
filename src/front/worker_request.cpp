#include "front/worker_request.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

constexpr size_t leases_max = 65'536;
constexpr size_t message_bytes_max = 1'000;
constexpr size_t partial_bytes_max = 64 << 10;

RegistrationId read_registration(Fields& fields) {
  fields.require("registration_id");
  return RegistrationId(fields.text("registration_id", job::name_bytes_max).value_or(""));
}

uint64_t read_fence(Fields& fields) {
  fields.require("fence");
  return static_cast<uint64_t>(fields.integer("fence", 1, INT64_MAX).value_or(0));
}

/// As many bytes, at most, as hold no half of a character at the end.
size_t whole_characters(std::string_view text, size_t most) {
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return most;
}

std::vector<std::string> texts(Fields& fields, std::string_view name) {
  std::vector<std::string> out;
  const Value* list = fields.any(name);
  if (!list || list->is_null()) return out;
  bool fine = list->is_array();
  if (fine)
    for (const Value& item : list->items()) {
      fine = fine && item.is_string();
      if (item.is_string()) out.emplace_back(item.as_string());
    }
  if (!fine) fields.wrong(name, "A list of texts is expected.");
  return out;
}

/// The items of a list, each read by `read(Fields&)` with its own path.
template <class T, class Read>
std::vector<T> items(Fields& fields, std::string_view name, size_t most, Read read) {
  std::vector<T> out;
  const Value* list = fields.any(name);
  if (!list || list->is_null()) return out;
  if (!list->is_array() || list->size() > most) {
    fields.wrong(name, "A list of at most " + std::to_string(most) + " is expected.");
    return out;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    Fields inner(list->items()[i], "/" + std::string(name) + "/" + std::to_string(i));
    out.push_back(read(inner));
    if (auto done = inner.finish(); !done) fields.add(std::move(done).error().findings);
  }
  return out;
}

fleet::LeaseKey read_lease(Fields& fields) {
  fields.require("job_id");
  JobId job(fields.text("job_id", job::job_id_bytes_max).value_or(""));
  return {std::move(job), read_fence(fields)};
}

/// Percent as tenths, 0 to 100 percent.
std::optional<uint32_t> tenths(Fields& fields, std::string_view name) {
  const Value* value = fields.any(name);
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_number() && value->as_number() >= 0 && value->as_number() <= 100)
    return static_cast<uint32_t>(std::llround(value->as_number() * 10));
  fields.wrong(name, "A number from 0 to 100 is expected.");
  return std::nullopt;
}

std::optional<fleet::Load> read_load(Fields& fields) {
  auto cpu = tenths(fields, "cpu_load");
  auto gpu = tenths(fields, "gpu_utilization");
  auto memory = tenths(fields, "memory_load");
  auto external = fields.integer("external_jobs", 0, 1'000'000);
  if (!cpu && !gpu && !memory && !external) return std::nullopt;
  return fleet::Load{cpu.value_or(0), gpu.value_or(0), memory.value_or(0),
                     static_cast<uint32_t>(external.value_or(0))};
}

fleet::Progress read_progress(Fields& fields) {
  fleet::Progress progress;
  if (auto percent = fields.integer("percent", 0, 100))
    progress.percent = static_cast<uint32_t>(*percent);
  progress.message = fields.text("message", message_bytes_max).value_or("");
  return progress;
}

void read_output(Fields& fields, job::Report& report) {
  const Value* output = fields.any("output");
  std::optional<job::Payload> blob;
  if (Value named = fields.object("output_blob"); named.is_object()) {
    Fields inner(named, "/output_blob");
    blob.emplace();
    blob->in_blob = true;
    inner.require("sha256");
    blob->sha256 = inner.text("sha256", 64).value_or("");
    blob->bytes = static_cast<uint64_t>(inner.integer("size", 0, INT64_MAX).value_or(0));
    if (auto done = inner.finish(); !done) fields.add(std::move(done).error().findings);
  }
  if (output && blob) fields.wrong("output_blob", "Either `output` or `output_blob`.");
  if (blob) {
    report.output = *std::move(blob);
  } else if (output || report.status == job::AttemptOutcome::succeeded) {
    report.output = job::Payload::of(output ? *output : Value());
  }
}

job::Usage read_usage(Fields& fields) {
  job::Usage usage;
  Value given = fields.object("usage");
  Fields inner(given, "/usage");
  usage.input_tokens = inner.integer("input_tokens", 0, INT64_MAX).value_or(0);
  usage.output_tokens = inner.integer("output_tokens", 0, INT64_MAX).value_or(0);
  usage.cost_micros = inner.integer("cost_micros", 0, INT64_MAX).value_or(0);
  if (auto done = inner.finish(); !done) fields.add(std::move(done).error().findings);
  return usage;
}

job::Artifact read_artifact(Fields& fields) {
  job::Artifact artifact;
  for (const char* name : {"name", "sha256", "size"}) fields.require(name);
  artifact.name = fields.text("name", job::artifact_name_bytes_max).value_or("");
  artifact.sha256 = fields.text("sha256", 64).value_or("");
  artifact.bytes = static_cast<uint64_t>(fields.integer("size", 0, INT64_MAX).value_or(0));
  return artifact;
}

ResultItem read_result(const Value& body, const job::ReportLimits& limits) {
  ResultItem item;
  Fields fields(body);
  fields.require("job_id");
  item.job = JobId(fields.text("job_id", job::job_id_bytes_max).value_or(""));
  item.fence = read_fence(fields);
  item.attempt = static_cast<uint32_t>(fields.integer("attempt", 1, UINT32_MAX).value_or(0));
  fields.require("status");
  if (auto name = fields.text("status", message_bytes_max)) {
    auto status = job::report_status_of(*name);
    if (!status)
      fields.wrong("status",
                   "succeeded, failed, failed_retryable, failed_fatal or cancelled is expected.");
    item.report.status = status.value_or(item.report.status);
  }
  read_output(fields, item.report);
  item.report.error = fields.object("error");
  item.report.execution_ms = fields.integer("execution_ms", 0, INT64_MAX).value_or(0);
  item.report.usage = read_usage(fields);
  item.report.artifacts =
      items<job::Artifact>(fields, "artifacts", job::artifacts_max, read_artifact);
  if (auto done = fields.finish(); !done) {
    item.findings = std::move(done).error().findings;
  } else {
    item.findings = job::check_report(item.report, limits);
  }
  return item;
}

}  // namespace

Outcome<RegisterRequest> read_register(const Value& body, std::vector<std::string> accounts,
                                       const std::vector<std::string>& pools) {
  Fields fields(body);
  RegisterRequest out;
  fields.require("worker_id");
  out.card.worker = WorkerId(fields.text("worker_id", fleet::worker_id_bytes_max).value_or(""));
  out.card.accounts = std::move(accounts);
  std::string first = pools.empty() ? "default" : pools.front();
  out.card.pool = fields.text("pool", job::name_bytes_max).value_or(first);
  out.card.topics = texts(fields, "topics");
  if (auto slots = fields.integer("max_parallel", 1, fleet::worker_parallel_max))
    out.card.max_parallel = static_cast<uint32_t>(*slots);
  out.card.capabilities = texts(fields, "capabilities");
  out.card.labels = fields.object("labels");
  out.card.region = fields.text("region", job::name_bytes_max).value_or("");
  out.card.type = fields.text("type", job::name_bytes_max).value_or("");
  out.card.sdk = fields.text("sdk", job::name_bytes_max).value_or("");
  out.resume = items<fleet::LeaseKey>(fields, "resume", leases_max, read_lease);
  FERMATA_TRY_VOID(fields.finish());
  fleet::normalize(out.card);
  if (auto findings = fleet::check_card(out.card); !findings.empty())
    return refuse(std::move(findings));
  if (!pools.empty() && std::find(pools.begin(), pools.end(), out.card.pool) == pools.end())
    return fail(ErrorCode::forbidden, "This key is for other pools than `" + out.card.pool + "`.");
  return out;
}

Outcome<ClaimRequest> read_claim(const Value& body) {
  Fields fields(body);
  ClaimRequest out;
  out.registration = read_registration(fields);
  fields.require("seq");
  out.seq = static_cast<uint64_t>(fields.integer("seq", 1, INT64_MAX).value_or(0));
  out.slots =
      static_cast<uint32_t>(fields.integer("slots", 1, fleet::claim_slots_max).value_or(out.slots));
  out.wait_ms = fields.integer("wait_ms", 0, fleet::claim_wait_ms_max).value_or(0);
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

Outcome<HeartbeatRequest> read_heartbeat(const Value& body) {
  Fields fields(body);
  HeartbeatRequest out;
  out.registration = read_registration(fields);
  out.beat.last_seq = static_cast<uint64_t>(fields.integer("last_seq", 0, INT64_MAX).value_or(0));
  out.beat.load = read_load(fields);
  out.beat.draining = fields.boolean("draining");
  out.beat.leases = items<fleet::Fleet::Listed>(fields, "leases", leases_max, [](Fields& inner) {
    fleet::LeaseKey key = read_lease(inner);
    return fleet::Fleet::Listed{std::move(key), read_progress(inner)};
  });
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

Outcome<RenewRequest> read_renew(const Value& body) {
  Fields fields(body);
  RenewRequest out;
  out.registration = read_registration(fields);
  out.fence = read_fence(fields);
  out.progress = read_progress(fields);
  if (const Value* partial = fields.any("partial")) {
    out.progress.partial = *partial;
    if (to_json(*partial).size() > partial_bytes_max)
      fields.wrong("partial", "At most " + std::to_string(partial_bytes_max) + " bytes of JSON.");
  }
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

Outcome<LogRequest> read_log(const Value& body) {
  Fields fields(body);
  LogRequest out;
  out.registration = read_registration(fields);
  out.fence = read_fence(fields);
  fields.require("lines");
  out.lines = texts(fields, "lines");
  if (out.lines.size() > log_lines_max)
    fields.wrong("lines", "At most " + std::to_string(log_lines_max) + " lines are expected.");
  FERMATA_TRY_VOID(fields.finish());
  for (std::string& line : out.lines)
    if (line.size() > log_line_bytes_max) line.resize(whole_characters(line, log_line_bytes_max));
  return out;
}

Outcome<DeclineRequest> read_decline(const Value& body) {
  Fields fields(body);
  DeclineRequest out;
  out.registration = read_registration(fields);
  out.fence = read_fence(fields);
  fields.require("reason");
  out.reason = fields.text("reason", message_bytes_max).value_or("");
  out.retry_after_ms = fields.integer("retry_after_ms", 0, 86'400'000).value_or(0);
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

Outcome<ResultsRequest> read_results(const Value& body, const job::ReportLimits& limits) {
  Fields fields(body);
  ResultsRequest out;
  out.registration = read_registration(fields);
  const Value* results = fields.any("results");
  bool fine =
      results && results->is_array() && results->size() >= 1 && results->size() <= results_max;
  if (!fine)
    fields.wrong("results", "A list of 1 to " + std::to_string(results_max) + " is expected.");
  FERMATA_TRY_VOID(fields.finish());
  for (const Value& item : results->items()) out.results.push_back(read_result(item, limits));
  return out;
}

}  // namespace fermata::front
