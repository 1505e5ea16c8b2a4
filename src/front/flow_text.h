#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

/// Flow scripts in the words of the API: `{"language": "flow", "source": "…"}`, or the bare source
/// with the content type `text/x-flow` (api.md section 3).
namespace fermata::front {

constexpr std::string_view flow_media_type = "text/x-flow";

/// True for the media type, with or without parameters.
bool is_flow_type(std::string_view content_type);
/// True when a definition's document says that it is a script.
bool is_flow(const Value& document);

/// A script as it came, and the JSON pointer its findings hang on.
struct FlowText {
  std::string source;
  std::string path;
  /// What people may give it, as a JSON Schema, or null; it stands beside the script (U-35).
  Value input_schema{};
};
/// Reads the document's fields; fails with invalid_field or unknown_field.
Outcome<FlowText> read_flow(const Value& document);

/// The document of a script: what GET answers and what the catalogue keeps.
Value flow_document(std::string_view source);

/// Findings of a script as the API shows them: {path, message, line, column, rule, severity,
/// related} (F-57).
Value flow_findings(const std::vector<Finding>& findings, std::string_view severity,
                    std::string_view path);

}  // namespace fermata::front
