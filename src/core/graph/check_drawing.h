#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/graph/check.h"

/// Documents for tests, written as drawings.
namespace fermata::graph {

/// A workflow document from words such as "t:manual c:conditional a b m:merge" (without a type:
/// noop) and "t>c c>a=true c>b=false b>n=error". An edge's id is its drawing without the mark;
/// marks are true, false, body, done, timeout, error and the number of a switch route. Nodes of
/// trigger types are triggers; parameters a type needs are filled in.
Value drawn(std::string_view nodes, std::string_view edges);
/// The same with further fields of one node merged in.
Value with_fields(Value document, std::string_view node_id, std::string_view fields);

CheckedDefinition check_text(std::string_view text);
/// Each finding as "code path".
std::vector<std::string> told(const std::vector<Finding>& findings);
/// The errors of a document that has some, as "code path".
std::vector<std::string> errors_of(const Value& document);
std::vector<std::string> warnings_of(const Value& document);
/// The definition of a document without errors.
DefinitionRef defined(const Value& document);
/// Ids of the nodes in a set, in definition order, joined by spaces.
std::string ids_in(const Definition& definition, const NodeSet& set);
NodeIndex index_of(const Definition& definition, std::string_view id);

}  // namespace fermata::graph
