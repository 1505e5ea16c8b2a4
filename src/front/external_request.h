#pragma once
#include "base/error.h"
#include "base/value.h"

/// Workflows without a program and their executions, in the words of the API (W-32, W-71).
namespace fermata::front {

struct ExternalRequest {
  Value canonical;     ///< what is stored
  std::string secret;  ///< that callbacks are to be signed with; empty: not given
};
/// `{"language": "external", "callback"?: {url, credentials?, secret?}}`.
Outcome<ExternalRequest> read_external(const Value& document);

struct Registration {
  std::string contact_id;
  Value labels;
  Value callback;
  Value metadata;
  /// Tells the same registration from another one of the same execution.
  std::string hash() const;
  /// What the run remembers of it.
  Value trigger() const;
};
Outcome<Registration> read_registration(const Value& body);

}  // namespace fermata::front
