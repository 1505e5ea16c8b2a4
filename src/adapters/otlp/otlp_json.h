#pragma once
#include <span>
#include <string>

#include "ports/telemetry.h"

namespace fermata::otlp {

/// Who sends.
struct Sender {
  std::string version;
  std::string instance_id;
};

/// The body of an export request: protobuf's JSON form with the exceptions that OTLP makes (ids in
/// hex, enumerations as numbers).
std::string export_request(const Sender& sender, std::span<const Span> spans);

/// Spans that the answer to an accepted request says were not taken after all.
uint64_t rejected_spans(std::string_view answer);

}  // namespace fermata::otlp
