#pragma once
#include "core/job/members.h"
#include "core/policy/document.h"

/// The parts of a document, one reader each. Mistakes become findings and reading goes on.
namespace fermata::policy {

/// Takes the fields of a match out of `members`, which may have others.
Match read_match(job::Members& members);
Match read_match(const Value& value, const std::string& path, std::vector<Finding>& findings,
                 int depth);
std::optional<Velocity> read_velocity(job::Members& rule);
Value read_approval(job::Members& rule);
Value read_constraints(job::Members& rule);
Value read_remediations(job::Members& rule);
Rule read_rule(const Value& value, const std::string& path, DocumentKind kind,
               std::vector<Finding>& findings);
/// Tags in lower case, each once.
std::vector<std::string> read_tags(job::Members& members, std::string_view name);

}  // namespace fermata::policy
