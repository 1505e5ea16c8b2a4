#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/job/job.h"
#include "ports/cap.h"

/// How a dispatch is told from every other one of its job (C-75).
namespace fermata::front::cap {

/// What only Fermata and the worker of the attempt know. Derived from the registration, whose id is
/// random, so that a dispatch that is sent again, or judged after a restart, is the same.
std::string dispatch_id(const JobId& job, uint32_t attempt, uint64_t fence,
                        const RegistrationId& registration);
/// Opens the bodies of the job to the worker of the attempt.
std::string body_token(const JobId& job, uint32_t attempt, uint64_t fence,
                       const RegistrationId& registration);

/// The name of the job on the wire: from the second attempt on it says which, unless the worker
/// understands identities of dispatches.
std::string wire_job_id(const JobId& job, uint32_t attempt, bool identity_understood);
struct WireJob {
  JobId job;
  uint32_t attempt = 0;  ///< 0: not said
};
/// Nothing when the name cannot be one of a job.
std::optional<WireJob> read_wire_job_id(std::string_view text);

/// The attempt that a message means, by the identity it has or by the job's name. Attempt 0: there
/// was never such an attempt.
struct Meant {
  uint32_t attempt = 0;
  uint64_t fence = 0;
  std::string pool{};
};
Meant attempt_meant(const job::Job& job, const WireJob& named,
                    const std::optional<fermata::cap::Dispatch>& dispatch);
/// True when the token belongs to an attempt of the job.
bool opens(const job::Job& job, std::string_view token);

}  // namespace fermata::front::cap
