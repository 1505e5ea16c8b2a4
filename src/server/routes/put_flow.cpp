#include "base/json.h"
#include "core/flow/script.h"
#include "core/run/script_definition.h"
#include "front/flow_text.h"
#include "server/routes/store_definition.h"

namespace fermata::server::routes {
namespace {

Outcome<front::FlowText> read_script(const Call& call) {
  if (!front::is_flow(call.body)) return front::FlowText{std::string(call.request.body), "", {}};
  return front::read_flow(call.body);
}

/// What stands beside a script. A bare source says nothing of it, so what there is stays.
Outcome<Value> layout_of(Api& api, const Call& call, const front::FlowText& text) {
  if (front::is_flow(call.body)) {
    if (text.input_schema.is_null()) return Value();
    return Value::object({{"fields", Value::object({{"input_schema", text.input_schema}})}});
  }
  FERMATA_TRY(known, api.catalog().workflow(call.who.account, WorkflowId(call.variable(0))));
  return known ? known->layout : Value();
}

struct Shown {
  Value errors;
  Value warnings;
};
Shown shown(const flow::CheckedScript& checked, const std::string& path) {
  return {front::flow_findings(checked.errors, "error", path),
          front::flow_findings(checked.warnings, "warning", path)};
}

}  // namespace

bool asks_for_flow(const Call& call) {
  return front::is_flow(call.body) || front::is_flow_type(call.request.header("content-type"));
}

void put_flow(Api& api, const Call& call) {
  auto put = begin_put(api, call);
  if (!put) return api.fail(call, put.error());
  auto text = read_script(call);
  if (!text) return api.fail(call, text.error());
  auto checked = flow::check_script(text->source, {.name = put->id.text()});
  Shown findings = shown(checked, text->path);
  if (!checked.errors.empty()) {
    return refuse_definition(api, call, checked.errors, std::move(findings.errors),
                             std::move(findings.warnings));
  }
  auto script = flow::make_definition(std::move(checked));
  put->hash = script->hash;
  graph::DefinitionRef definition = make_script_definition(script);
  put->canonical = to_canonical_json(definition->canonical);
  auto layout = layout_of(api, call, *text);
  if (!layout) return api.fail(call, layout.error());
  put->layout = *std::move(layout);
  auto stored = finish_put(api, call, *put);
  if (!stored) return api.fail(call, stored.error());
  // An equal source may have been stored by another release, with its code: that one counts.
  answer_put(api, call, *stored, script->hash, "flow", std::move(findings.warnings));
}

/// As for graphs: a script with errors is a good answer to the question.
void check_flow(Api& api, const Call& call) {
  auto text = read_script(call);
  if (!text) return api.fail(call, text.error());
  auto checked = flow::check_script(text->source);
  Shown findings = shown(checked, text->path);
  Value out = Value::object({{"valid", checked.errors.empty()},
                             {"errors", std::move(findings.errors)},
                             {"warnings", std::move(findings.warnings)}});
  if (checked.errors.empty())
    out.set("hash", flow::make_definition(std::move(checked))->hash.text());
  call.send_json(200, out);
}

}  // namespace fermata::server::routes
