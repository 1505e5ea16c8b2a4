#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/job/decide.h"
#include "core/policy/facts.h"
#include "core/policy/glob.h"
#include "core/policy/output.h"

/// A policy document as data (jobs.md §3.1), once it was found free of mistakes.
namespace fermata::policy {

/// All given fields must hold.
struct Match {
  std::array<std::vector<Glob>, text_facts> texts{};
  std::vector<std::string> risk_tags{};  ///< one in common
  std::vector<std::string> requires_{};  ///< all of them are asked for
  std::vector<std::pair<std::string, Glob>> labels{};
  /// Holds when the label is missing or outside its list.
  std::vector<std::pair<std::string, std::vector<std::string>>> label_allowlist{};
  /// Holds when the label is greater, missing or no number.
  std::vector<std::pair<std::string, double>> label_threshold{};
  std::optional<int64_t> input_size_gt{};
  std::optional<int64_t> cost_over_micros{};
  Content content{};  ///< of the input
  std::shared_ptr<const Match> not_{};

  const std::vector<Glob>& operator[](TextFact fact) const {
    return texts[static_cast<size_t>(fact)];
  }
};

/// A rule with one matches only a job that would be one too many (J-20).
struct Velocity {
  uint64_t max_requests = 0;
  int64_t window_ms = 0;
  std::vector<std::string> key{};  ///< names of text facts, or `labels.NAME`
};

struct Rule {
  std::string id;
  Match match;
  std::optional<Velocity> velocity{};
  job::VerdictKind decision = job::VerdictKind::deny;
  std::string reason{};
  Value approval{};     ///< {roles[], count, expires_ms}, or null
  Value constraints{};  ///< object, or null
  /// Other ways to ask for what a rule refuses (J-6): an array of {id, title, summary,
  /// replacement_topic, replacement_capability, add_labels, remove_labels}, or null.
  Value remediations{};
};

/// Tags that the submitter cannot leave out.
struct Derivation {
  Match match;
  std::vector<std::string> add_risk_tags;
};

enum class DocumentKind : uint8_t { base, bundle, invariants };
std::string_view name_of(DocumentKind kind);

enum class Overlays : uint8_t { tighten, relax };

struct Document {
  std::optional<job::VerdictKind> default_decision{};  ///< of a base document
  Overlays overlays = Overlays::tighten;
  std::optional<job::FailMode> fail_mode{};  ///< of an external kernel; a bundle's is `closed`
  std::vector<Derivation> derive{};
  std::vector<Rule> rules{};
  OutputPolicy output{};  ///< of a base document
};

constexpr size_t rules_max = 10'000;
constexpr size_t rule_id_bytes_max = 128;
constexpr size_t pattern_bytes_max = 256;
constexpr size_t patterns_max = 1'000;
constexpr int64_t window_ms_max = 86'400'000;
constexpr int64_t approvals_max = 5;
constexpr size_t remediations_max = 16;  ///< of one rule
constexpr size_t document_bytes_max = 2 << 20;

/// What is wrong with a text of policy, or what it says.
struct Reading {
  Document document;
  std::vector<Finding> findings;
  bool ok() const { return findings.empty(); }
};
/// Reads a document and looks for every mistake in it; each finding points into the value.
/// Whether regular expressions can be used is asked of `check`.
Reading read_document(const Value& value, DocumentKind kind, const PatternCheck& check = {});

}  // namespace fermata::policy
