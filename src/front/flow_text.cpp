#include "front/flow_text.h"

#include "front/fields.h"

namespace fermata::front {

bool is_flow_type(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type == flow_media_type;
}

bool is_flow(const Value& document) {
  return document.is_object() && document.get("language") == Value("flow");
}

Outcome<FlowText> read_flow(const Value& document) {
  Fields fields(document);
  FlowText out;
  out.path = "/source";
  fields.any("language");
  const Value* source = fields.any("source");
  if (source != nullptr && source->is_string()) {
    out.source = source->as_string();
  } else {
    fields.wrong("source", "The text of the script is expected.");
  }
  out.input_schema = fields.object("input_schema");
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

Value flow_document(std::string_view source) {
  return Value::object({{"language", "flow"}, {"source", source}});
}

Value flow_findings(const std::vector<Finding>& findings, std::string_view severity,
                    std::string_view path) {
  Value out = Value::array();
  for (const Finding& finding : findings) {
    Value related = Value::array();
    for (const std::string& one : finding.related) related.push(one);
    out.push(Value::object({{"path", path},
                            {"message", finding.message},
                            {"line", finding.line},
                            {"column", finding.column},
                            {"rule", finding.code},
                            {"severity", severity},
                            {"related", std::move(related)}}));
  }
  return out;
}

}  // namespace fermata::front
