#pragma once
#include <safety.pb.h>

#include "ports/policy_kernel.h"

/// The words of the wire for questions and answers.
namespace fermata {

cordum::agent::v1::PolicyCheckRequest to_wire(const PolicyQuestion& question);
PolicyAnswer from_wire(const cordum::agent::v1::PolicyCheckResponse& response);

}  // namespace fermata
