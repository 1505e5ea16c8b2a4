#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/job/request.h"
#include "core/model/trace.h"

#include "core/model/post.h"  // names what the header before declares

/// A request as people and runs write it: JSON.
namespace fermata::job {

struct ReadRequest {
  Request request;  ///< normalised
  std::vector<Finding> findings;
};

/// Reads and checks the fields of a job from an object. `others` are members that the caller reads
/// itself; any further one is a finding. `path` is the pointer of the object.
ReadRequest read_request(const Value& body, const Actor& actor, const RequestLimits& limits,
                         std::initializer_list<std::string_view> others,
                         const std::string& path = "");
/// A budget alone, for an amendment.
Budget read_budget(const Value& body, std::vector<Finding>& findings, const std::string& path);

/// What a step of a run asked for, with the names that graphs and scripts use beside those of a
/// request: `pool` (`queue`), `deadline_ms`, `timeout_ms`. Fails with every finding.
Outcome<ReadRequest> read_order(const OrderJob& order, const RequestLimits& limits);

}  // namespace fermata::job
