#pragma once
#include "core/job/effect.h"
#include "core/job/job.h"
#include "front/cap/identity.h"

/// What Fermata tells workers and those who wait for results.
namespace fermata::front::cap {

/// A packet, and under which id the stream keeps it once (C-73).
struct Outgoing {
  std::string subject;
  std::string message_id;
  fermata::cap::Packet packet;
};

/// Who gets a dispatch, as what, and where its bodies are fetched.
struct DispatchTerms {
  std::string sender;    ///< `fermata:<cluster>`
  std::string base_url;  ///< of the server, for pointers
  AccountId account;
  WorkerId worker;
  RegistrationId registration;
  bool identity_understood = false;
  Instant now;
};

/// `delivery`: the job as workers see it (job::view::delivery).
Outgoing dispatch_of(const Value& delivery, const DispatchTerms& terms);
Outgoing cancel_of(const JobId& job, uint32_t attempt, uint64_t fence, const DispatchTerms& terms);
/// What became of a job that has ended, after the output policy (C-74).
Outgoing accepted_of(const job::Job& job, const std::string& sender, const std::string& base_url);
/// A notice of an entry of the dead letter queue.
Outgoing dead_letter_of(const job::DeadLetter& letter, const std::string& sender);
/// A packet of a version that is not understood.
fermata::cap::Packet version_alert(int32_t version, const std::string& from,
                                   const std::string& sender, Instant now);

}  // namespace fermata::front::cap
