#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/decide.h"
#include "core/policy/content.h"
#include "core/policy/glob.h"

/// What may be read of the results of jobs (jobs.md §5).
namespace fermata::policy {

/// All given fields must hold.
struct OutputMatch {
  std::vector<Glob> tenants{};
  std::vector<Glob> topics{};
  std::vector<Glob> capabilities{};
  std::vector<Glob> content_types{};
  std::vector<std::string> risk_tags{};  ///< one in common
  std::optional<bool> has_error{};
  std::optional<int64_t> output_size_gt{};
  Content content{};
};

struct OutputRule {
  std::string id;
  bool enabled = true;
  job::Severity severity = job::Severity::medium;
  OutputMatch match{};
  job::OutputDecision decision = job::OutputDecision::quarantine;
  std::string reason{};
  bool keep_original = false;  ///< of what it redacts, for admins
};

enum class Release : uint8_t { gated, optimistic };
using FailMode = job::FailMode;

/// What holds for topics that fit, in place of what holds for all.
struct TopicRelease {
  Glob pattern;
  std::optional<Release> release{};
  std::optional<FailMode> fail_mode{};
  std::optional<bool> enabled{};
};

struct OutputPolicy {
  bool enabled = true;
  Release release = Release::gated;
  std::optional<FailMode> fail_mode{};  ///< absent: closed where gated, open where optimistic
  std::vector<TopicRelease> topics{};
  std::vector<std::string> national_ids{};  ///< that the scanner `pii` knows besides
  std::vector<OutputRule> rules{};
};

/// What the settings of a server say before the policy does (J-47).
struct OutputSettings {
  bool enabled = true;
  std::optional<FailMode> fail_mode{};
};

/// All that is known of a result without reading it.
struct OutputFacts {
  std::string tenant;
  std::string topic;
  std::string capability;
  std::vector<std::string> risk_tags{};
  std::vector<std::string> content_types{};
  bool has_error = false;
  uint64_t bytes = 0;  ///< of the output and all artifacts
};
OutputFacts output_facts_of(const job::Job& job, const job::ResultSize& size);

/// True where results of the topic are held against the rules.
bool is_on(const OutputPolicy& policy, const std::string& topic);

/// The rules whose metadata holds, in order, up to and with the first that decides without content.
std::vector<const OutputRule*> candidates(const OutputPolicy& policy, const OutputFacts& facts);

/// What follows before anybody has read the content (J-45, first phase).
job::OutputPlan plan_output(const OutputPolicy* policy, const OutputSettings& settings,
                            const OutputFacts& facts);

}  // namespace fermata::policy
