#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/value.h"

namespace fermata::front {

/// The body of `POST /workflows/{id}/executions`, read and checked.
struct StartRequest {
  Value input = Value::object();
  std::optional<uint32_t> version;
  Value labels;  ///< object of texts, or null
  std::string contact_id;
  std::optional<Instant> start_at;
  std::optional<int64_t> timeout_ms;
  std::optional<bool> rolls_back;  ///< `on_failure`
};

/// Fails with `invalid_field` or `unknown_field`, one finding for every bad field.
Outcome<StartRequest> read_start(const Value& body);

/// Of an object of texts, or null; their paths begin with /labels.
std::vector<Finding> check_labels(const Value& labels);

/// Tells a repeated request from another one under the same Idempotency-Key: the hash of what was
/// asked (method, path, query and the body's canonical form), not of what it was resolved to.
std::string request_hash(std::string_view method_and_target, const Value& body);

}  // namespace fermata::front
