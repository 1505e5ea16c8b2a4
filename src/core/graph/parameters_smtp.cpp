#include "core/graph/parameters.h"
#include "core/mail/address.h"

namespace fermata::graph {
namespace {

using Kind = ParameterKind;

// Recipients are one text with commas, or an array of texts.
constexpr Parameter smtp_parameters[] = {
    {.name = "from", .kind = Kind::text, .required = true},
    {.name = "to", .required = true},
    {.name = "cc"},
    {.name = "bcc"},
    {.name = "subject", .kind = Kind::text, .standard = "\"\""},
    {.name = "body"},
    {.name = "body_type", .kind = Kind::choice, .standard = "\"text\"", .choices = "text|html"},
    {.name = "ignore_ssl", .kind = Kind::boolean, .standard = "false"},
};

void check_written(const NodeParameters& node, const Value& entry, const std::string& at,
                   Findings& findings) {
  if (holds_expression(entry) || entry.is_null()) return;
  if (!entry.is_string()) {
    findings.error("parameter_invalid", node.written_at(at),
                   "A mail address is text; this is " + shown(entry) + ".");
    return;
  }
  if (auto read = mail::read_addresses(entry.as_string()); !read)
    findings.error("parameter_invalid", node.written_at(at), read.error());
}

void check_smtp(const NodeParameters& node, Findings& findings) {
  for (const char* name : {"from", "to", "cc", "bcc"}) {
    const Value* list = node.values.find(name);
    // One `from` that is no text has been told already.
    if (list == nullptr || (name == std::string_view("from") && !list->is_string())) continue;
    std::string at = "/" + std::string(name);
    if (!list->is_array()) check_written(node, *list, at, findings);
    if (list->is_array())
      for (size_t i = 0; i < list->size(); ++i)
        check_written(node, list->items()[i], at + "/" + std::to_string(i), findings);
  }
}

}  // namespace

NodeSchema smtp_schema() { return {smtp_parameters, check_smtp}; }

}  // namespace fermata::graph
