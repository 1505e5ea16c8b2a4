#include "front/cap/identity.h"

#include <charconv>

#include "base/hash.h"

namespace fermata::front::cap {
namespace {

constexpr size_t dispatch_id_digits = 32;  // 128 bits

std::string derived(std::string_view use, const JobId& job, uint32_t attempt, uint64_t fence,
                    const RegistrationId& registration) {
  return sha256_hex("fermata.wire." + std::string(use) + "\n" + registration.text() + "\n" +
                    job.text() + "\n" + std::to_string(attempt) + "\n" + std::to_string(fence));
}

const job::Attempt* find(const job::Job& job, uint32_t number) {
  for (const job::Attempt& attempt : job.attempts)
    if (attempt.attempt == number) return &attempt;
  return nullptr;
}

}  // namespace

std::string dispatch_id(const JobId& job, uint32_t attempt, uint64_t fence,
                        const RegistrationId& registration) {
  return derived("dispatch", job, attempt, fence, registration).substr(0, dispatch_id_digits);
}

std::string body_token(const JobId& job, uint32_t attempt, uint64_t fence,
                       const RegistrationId& registration) {
  return derived("token", job, attempt, fence, registration);
}

std::string wire_job_id(const JobId& job, uint32_t attempt, bool identity_understood) {
  if (attempt < 2 || identity_understood) return job.text();
  return job.text() + "~" + std::to_string(attempt);
}

std::optional<WireJob> read_wire_job_id(std::string_view text) {
  size_t mark = text.find('~');
  WireJob named{JobId(std::string(text.substr(0, mark))), 0};
  if (named.job.empty()) return std::nullopt;
  if (mark == std::string_view::npos) return named;
  std::string_view digits = text.substr(mark + 1);
  const char* end = digits.data() + digits.size();
  auto [stopped, problem] = std::from_chars(digits.data(), end, named.attempt);
  if (problem != std::errc() || stopped != end || named.attempt < 2) return std::nullopt;
  return named;
}

Meant attempt_meant(const job::Job& job, const WireJob& named,
                    const std::optional<fermata::cap::Dispatch>& dispatch) {
  if (!dispatch || dispatch->id.empty()) {
    // A bare name is the first attempt's, or that of a worker that should have said more.
    const job::Attempt* attempt = find(job, named.attempt == 0 ? 1 : named.attempt);
    return attempt ? Meant{attempt->attempt, attempt->fence, attempt->pool} : Meant{};
  }
  for (const job::Attempt& attempt : job.attempts) {
    std::string expected =
        dispatch_id(job.id, attempt.attempt, attempt.fence, attempt.registration);
    if (!same_secret(expected, dispatch->id)) continue;
    bool same = (dispatch->attempt == 0 || dispatch->attempt == attempt.attempt) &&
                (named.attempt == 0 || named.attempt == attempt.attempt);
    return same ? Meant{attempt.attempt, attempt.fence, attempt.pool} : Meant{};
  }
  return {};
}

bool opens(const job::Job& job, std::string_view token) {
  for (const job::Attempt& attempt : job.attempts)
    if (same_secret(body_token(job.id, attempt.attempt, attempt.fence, attempt.registration),
                    token))
      return true;
  return false;
}

}  // namespace fermata::front::cap
