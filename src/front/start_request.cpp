#include "front/start_request.h"

#include "base/hash.h"
#include "base/json.h"
#include "front/fields.h"

namespace fermata::front {
namespace {

constexpr size_t labels_max = 64;
constexpr size_t label_name_bytes_max = 100;
constexpr size_t label_value_bytes_max = 500;
constexpr int64_t timeout_ms_max = int64_t{3650} * 24 * 3600 * 1000;

}  // namespace

std::vector<Finding> check_labels(const Value& labels) {
  std::vector<Finding> findings;
  if (labels.is_null()) return findings;
  if (labels.size() > labels_max)
    findings.push_back({"invalid_field",
                        "/labels",
                        "At most " + std::to_string(labels_max) + " labels are allowed.",
                        {}});
  for (const Value::Member& label : labels.members()) {
    std::string_view name = label.key.as_string();
    std::string path = "/labels/" + escape_pointer(name);
    if (name.empty() || !is_plain_text(name, label_name_bytes_max))
      findings.push_back({"invalid_field", path, "A label's name has 1 to 100 bytes.", {}});
    if (!label.value.is_string() || !is_plain_text(label.value.as_string(), label_value_bytes_max))
      findings.push_back({"invalid_field", path, "A text of at most 500 bytes is expected.", {}});
  }
  return findings;
}

Outcome<StartRequest> read_start(const Value& body) {
  StartRequest out;
  Fields fields(body);
  if (const Value* input = fields.any("input"); input && !input->is_null()) out.input = *input;
  if (auto version = fields.integer("version", 1, UINT32_MAX))
    out.version = static_cast<uint32_t>(*version);
  out.labels = fields.object("labels");
  fields.add(check_labels(out.labels));
  out.contact_id = fields.id("contact_id").value_or("");
  out.start_at = fields.instant("start_at");
  out.timeout_ms = fields.integer("timeout_ms", 0, timeout_ms_max);
  if (auto word = fields.text("on_failure")) {
    out.rolls_back = *word == "rollback";
    if (*word != "rollback" && *word != "keep")
      fields.wrong("on_failure", "`keep` or `rollback` is expected.");
  }
  FERMATA_TRY_VOID(fields.finish());
  return out;
}

std::string request_hash(std::string_view method_and_target, const Value& body) {
  std::string text(method_and_target);
  text.push_back('\n');
  text += to_canonical_json(body);
  return sha256_hex(text);
}

}  // namespace fermata::front
