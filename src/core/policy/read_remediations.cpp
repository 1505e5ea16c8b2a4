#include <set>

#include "core/policy/read_parts.h"

namespace fermata::policy {

namespace {

constexpr size_t title_bytes_max = 200;
constexpr size_t summary_bytes_max = 2'000;

void keep_text(job::Members& part, Value& kept, std::string_view name, size_t bytes_max) {
  auto text = part.text(name);
  if (!text) return;
  if (text->empty() || text->size() > bytes_max)
    part.wrong(name, "1 to " + std::to_string(bytes_max) + " bytes are expected.");
  kept.set(name, *text);
}

void keep_topic(job::Members& part, Value& kept) {
  auto name = part.text("replacement_topic");
  if (!name) return;
  std::string topic = job::full_topic(*name);
  if (!job::is_valid_topic(topic))
    part.wrong("replacement_topic", "`" + *name + "` is no topic of jobs.");
  kept.set("replacement_topic", topic);
}

/// A rule gives nobody a label that the engine alone may set.
void check_label(job::Members& part, std::string_view field, std::string_view key) {
  if (key.empty() || key.size() > job::label_key_bytes_max)
    part.wrong(field,
               "A label's name has 1 to " + std::to_string(job::label_key_bytes_max) + " bytes.");
  if (job::is_reserved_label(key))
    part.wrong(field, "Only the engine sets the label `" + std::string(key) + "`.");
}

void keep_labels(job::Members& part, Value& kept) {
  Value add = part.object("add_labels");
  if (add.is_object()) {
    if (add.size() > job::labels_max)
      part.wrong("add_labels", "At most " + std::to_string(job::labels_max) + " are allowed.");
    for (const Value::Member& label : add.members()) {
      check_label(part, "add_labels", label.key.as_string());
      if (!label.value.is_string() || label.value.as_string().size() > job::label_value_bytes_max)
        part.wrong("add_labels", "`" + std::string(label.key.as_string()) +
                                     "` has a text of at most " +
                                     std::to_string(job::label_value_bytes_max) + " bytes.");
    }
    if (add.size() > 0) kept.set("add_labels", std::move(add));
  }
  if (!part.any("remove_labels")) return;
  Value remove = Value::array();
  for (const std::string& key : part.texts("remove_labels")) {
    check_label(part, "remove_labels", key);
    remove.push(key);
  }
  if (remove.size() > job::labels_max)
    part.wrong("remove_labels", "At most " + std::to_string(job::labels_max) + " are allowed.");
  if (remove.size() > 0) kept.set("remove_labels", std::move(remove));
}

Value read_remediation(const Value& value, const std::string& path,
                       std::vector<Finding>& findings) {
  if (!value.is_object()) {
    findings.push_back({"invalid_field", path, "A remediation is an object.", {}});
    return {};
  }
  job::Members part(value, path, findings);
  Value kept = Value::object();
  part.require("id");
  keep_text(part, kept, "id", job::fact_bytes_max);
  keep_text(part, kept, "title", title_bytes_max);
  keep_text(part, kept, "summary", summary_bytes_max);
  size_t words = kept.size();
  keep_topic(part, kept);
  keep_text(part, kept, "replacement_capability", job::fact_bytes_max);
  keep_labels(part, kept);
  // The same request would be refused again.
  if (kept.size() == words)
    findings.push_back({"invalid_field",
                        path,
                        "It changes nothing: replacement_topic, replacement_capability, "
                        "add_labels or remove_labels is expected.",
                        {}});
  part.finish();
  return kept;
}

}  // namespace

Value read_remediations(job::Members& rule) {
  const Value* value = rule.any("remediations");
  if (!value) return {};
  if (!value->is_array() || value->size() == 0 || value->size() > remediations_max) {
    rule.wrong("remediations",
               "An array of 1 to " + std::to_string(remediations_max) + " is expected.");
    return {};
  }
  Value kept = Value::array();
  std::set<std::string> ids;
  size_t index = 0;
  for (const Value& one : value->items()) {
    std::string path = rule.path_of("remediations") + "/" + std::to_string(index++);
    Value read = read_remediation(one, path, rule.findings());
    const Value& id = read.get("id");
    if (id.is_string() && !ids.insert(std::string(id.as_string())).second)
      rule.findings().push_back(
          {"invalid_field", path + "/id", "Another remediation of the rule has this id.", {}});
    kept.push(std::move(read));
  }
  return kept;
}

}  // namespace fermata::policy
