#pragma once
#include "core/job/members.h"
#include "core/policy/document.h"

/// The parts of a document, one reader each. Mistakes become findings and reading goes on.
namespace fermata::policy {

/// Takes the fields of a match out of `members`, which may have others.
Match read_match(job::Members& members);
/// With what the rule looks for in the content of inputs.
Match read_match(const Value& value, const std::string& path, std::vector<Finding>& findings,
                 const PatternCheck& check, int depth = 0);
std::optional<Velocity> read_velocity(job::Members& rule);
Value read_approval(job::Members& rule);
Value read_constraints(job::Members& rule);
Value read_remediations(job::Members& rule);
Rule read_rule(const Value& value, const std::string& path, DocumentKind kind,
               const PatternCheck& check, std::vector<Finding>& findings);
/// `output_policy` and `output_rules`.
OutputPolicy read_output_policy(job::Members& members, const PatternCheck& check);
/// `scanners`, `keywords` and `patterns` of a match.
Content read_content(job::Members& members, const PatternCheck& check);
/// A bare name is a topic under `job.`, here as everywhere.
std::string topic_pattern(std::string pattern);
/// Tags in lower case, each once.
std::vector<std::string> read_tags(job::Members& members, std::string_view name);

}  // namespace fermata::policy
