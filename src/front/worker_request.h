#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/value.h"
#include "core/fleet/fleet.h"
#include "core/job/command.h"

/// Bodies of the calls that workers make (`/worker/…`), read and checked. Each fails with one
/// finding for every bad field.
namespace fermata::front {

struct RegisterRequest {
  fleet::WorkerCard card;
  std::vector<fleet::LeaseKey> resume;
};
/// `accounts` and `pools` are what the key allows; no pools: any.
Outcome<RegisterRequest> read_register(const Value& body, std::vector<std::string> accounts,
                                       const std::vector<std::string>& pools);

struct ClaimRequest {
  RegistrationId registration;
  uint64_t seq = 0;
  uint32_t slots = 1;
  int64_t wait_ms = 0;
};
Outcome<ClaimRequest> read_claim(const Value& body);

struct HeartbeatRequest {
  RegistrationId registration;
  fleet::Fleet::Beat beat;
};
Outcome<HeartbeatRequest> read_heartbeat(const Value& body);

/// `/worker/jobs/{id}/renew` and `/progress`.
struct RenewRequest {
  RegistrationId registration;
  uint64_t fence = 0;
  fleet::Progress progress;
};
Outcome<RenewRequest> read_renew(const Value& body);

/// `/worker/jobs/{id}/logs`.
struct LogRequest {
  RegistrationId registration;
  uint64_t fence = 0;
  std::vector<std::string> lines;
};
constexpr size_t log_lines_max = 1'000;
constexpr size_t log_line_bytes_max = 16 << 10;  ///< longer ones are cut between characters
Outcome<LogRequest> read_log(const Value& body);

struct DeclineRequest {
  RegistrationId registration;
  uint64_t fence = 0;
  std::string reason;
  int64_t retry_after_ms = 0;
};
Outcome<DeclineRequest> read_decline(const Value& body);

/// One item of `/worker/results`. A bad one is told with its findings and touches no other (J-65);
/// job and fence are there as far as they could be read, for whom to count it against.
struct ResultItem {
  JobId job;
  uint64_t fence = 0;
  uint32_t attempt = 0;
  job::Report report;
  std::vector<Finding> findings;
};
struct ResultsRequest {
  RegistrationId registration;
  std::vector<ResultItem> results;
};
constexpr size_t results_max = 256;
Outcome<ResultsRequest> read_results(const Value& body, const job::ReportLimits& limits);

}  // namespace fermata::front
