#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"
#include "base/value.h"

/// What the engine knows of a worker.
namespace fermata::fleet {

/// What a worker says of itself when it registers.
struct WorkerCard {
  static constexpr bool extensible = true;
  WorkerId worker;
  std::vector<std::string> accounts;  ///< whose jobs it does; empty: everybody's
  std::string pool = "default";
  std::vector<std::string> topics;  ///< full names, `*` for any characters
  uint32_t max_parallel = 1;
  std::vector<std::string> capabilities;
  Value labels;  ///< object of texts, or null
  std::string region;
  std::string type;
  std::string sdk;
  bool operator==(const WorkerCard&) const = default;
  template <class V> void each(V&& v) {
    v("worker_id", worker);
    v("accounts", accounts);
    v("pool", pool);
    v("topics", topics);
    v("max_parallel", max_parallel);
    v("capabilities", capabilities);
    v("labels", labels);
    v("region", region);
    v("type", type);
    v("sdk", sdk);
  }
};
constexpr size_t worker_id_bytes_max = 200;
constexpr size_t worker_topics_max = 256;
constexpr uint32_t worker_parallel_max = 65'536;

/// Puts topics under `job.`, capabilities in lower case; both sorted, each once.
void normalize(WorkerCard& card);
/// Everything wrong with a normalised card, with pointers into the body of a registration.
std::vector<Finding> check_card(const WorkerCard& card);

/// What a worker says of its machine, in tenths of a percent.
struct Load {
  static constexpr bool extensible = true;
  uint32_t cpu = 0;
  uint32_t gpu = 0;
  uint32_t memory = 0;
  uint32_t external_jobs = 0;  ///< that the engine has not given it
  bool operator==(const Load&) const = default;
  template <class V> void each(V&& v) {
    v("cpu", cpu);
    v("gpu", gpu);
    v("memory", memory);
    v("external_jobs", external_jobs);
  }
};

/// A registration as the store keeps it for a warm start (J-67).
struct RegistrationRecord {
  static constexpr bool extensible = true;
  RegistrationId id;
  WorkerCard card;
  Load load;
  Instant registered_at;
  int64_t lease_ms = 0;
  bool drained = false;
  std::optional<Instant> drain_until{};
  bool operator==(const RegistrationRecord&) const = default;
  template <class V> void each(V&& v) {
    v("registration_id", id);
    v("worker", card);
    v("load", load);
    v("registered_at", registered_at);
    v("lease_ms", lease_ms);
    v("drained", drained);
    v("drain_until", drain_until);
  }
};
std::string encode(const RegistrationRecord& record);
/// Fails with data_damaged when the bytes are not what `encode` writes.
Outcome<RegistrationRecord> decode_registration(std::string_view bytes);

/// 1 to `bytes_max` bytes of UTF-8 without control characters.
bool is_name(std::string_view text, size_t bytes_max);
/// A topic in which `*` may stand anywhere.
bool is_topic_pattern(std::string_view pattern);
/// In lower case, sorted, each once.
void lower_and_sort(std::vector<std::string>& texts);
/// The labels that placement looks at: `placement.…`, `constraint.…` and `node.…`.
Value placement_of(const Value& labels);
/// True when the text fits a pattern in which `*` stands for any characters.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace fermata::fleet
