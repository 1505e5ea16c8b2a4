#pragma once
#include "cli/command.h"
#include "core/policy/document.h"

namespace fermata::cli {

/// What is wrong with a document that was read: nothing, or a finding for each mistake. `well` is
/// set to what to say of a good one.
using DocumentCheck = std::function<std::vector<Finding>(const Value& document, std::string& well)>;

/// Every mistake of a YAML file with its place, or that there is none. Needs no server.
Exit check_document(const std::string& path, const DocumentCheck& check, Surroundings& around);

}  // namespace fermata::cli
