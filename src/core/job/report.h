#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/job/request.h"

/// What a worker says about an attempt at its end.
namespace fermata::job {

struct Usage {
  static constexpr bool extensible = true;
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
  int64_t cost_micros = 0;
  bool operator==(const Usage&) const = default;
  template <class V> void each(V&& v) {
    v("input_tokens", input_tokens);
    v("output_tokens", output_tokens);
    v("cost_micros", cost_micros);
  }
};
/// The sum, held at the largest number instead of running over it.
Usage operator+(const Usage& a, const Usage& b);

/// Bytes the worker has put into the store beforehand.
struct Artifact {
  static constexpr bool extensible = true;
  std::string name;
  std::string sha256;
  uint64_t bytes = 0;
  bool operator==(const Artifact&) const = default;
  template <class V> void each(V&& v) {
    v("name", name);
    v("sha256", sha256);
    v("size", bytes);
  }
};

struct Report {
  AttemptOutcome status = AttemptOutcome::failed;
  Payload output;  ///< of a success
  Value error;     ///< {code, message, details?}, or null
  int64_t execution_ms = 0;
  Usage usage;
  std::vector<Artifact> artifacts;
  std::string uploaded{};  ///< SHA-256 of the bytes that the output was put in, if it was
};

struct ReportLimits {
  uint64_t output_bytes_max = 4 << 20;
  uint64_t artifact_bytes_max = 64 << 20;
  int nesting_max = 128;
};
constexpr size_t artifacts_max = 32;
constexpr size_t artifact_name_bytes_max = 200;
constexpr size_t error_text_bytes_max = 8 << 10;
constexpr size_t error_details_bytes_max = 64 << 10;

/// Everything wrong with a report, with pointers into an item of `POST /worker/results`.
std::vector<Finding> check_report(const Report& report, const ReportLimits& limits);
/// Tells a repeated message from another one about the same attempt (J-12).
std::string digest_of(const Report& report);
/// An error as jobs keep it; a message that is too long is cut between characters.
Value make_error(std::string_view code, std::string_view message, Value details = {});

}  // namespace fermata::job
