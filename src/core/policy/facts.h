#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/job/job.h"

namespace fermata::policy {

/// The facts of a job that are texts, by the name a rule's `match` gives to their list and the name
/// a velocity key gives to one.
enum class TextFact : uint8_t {
  tenant,
  topic,
  capability,
  pack_id,
  actor_id,
  actor_type,
  principal,
  priority,
  workflow_id,
  source,
};
constexpr size_t text_facts = 10;
/// `tenants`, `topics` …
std::string_view match_name_of(TextFact fact);
/// `tenant`, `topic` …
std::string_view name_of(TextFact fact);
std::optional<TextFact> text_fact_of(std::string_view name);

/// All that a rule may know of a job.
struct Facts {
  std::array<std::string, text_facts> texts{};
  std::vector<std::string> risk_tags{};  ///< sorted, each once
  std::vector<std::string> requires_{};  ///< the same
  Value labels = Value::object();
  uint64_t input_size = 0;  ///< true size of the input as JSON
  std::optional<int64_t> max_cost_micros{};
  /// Keys of what was looked for in the input and found (content_key); nothing: nobody has read it.
  std::optional<std::vector<std::string>> content{};

  std::string& operator[](TextFact fact) { return texts[static_cast<size_t>(fact)]; }
  const std::string& operator[](TextFact fact) const { return texts[static_cast<size_t>(fact)]; }
  bool operator==(const Facts&) const = default;
};

Facts facts_of(const job::Job& job);
/// As the decision log keeps them; what is empty is left out.
Value to_value(const Facts& facts);
/// The same read back, or given by somebody who asks what would be. A missing `tenant` is the
/// asker's; a topic may leave `job.` out.
Outcome<Facts> read_facts(const Value& value, const AccountId& asker);

}  // namespace fermata::policy
