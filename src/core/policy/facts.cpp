#include "core/policy/facts.h"

#include <algorithm>

#include "core/job/members.h"

namespace fermata::policy {

namespace {

struct Names {
  std::string_view one;
  std::string_view list;
};
constexpr std::array<Names, text_facts> names = {{{"tenant", "tenants"},
                                                  {"topic", "topics"},
                                                  {"capability", "capabilities"},
                                                  {"pack_id", "pack_ids"},
                                                  {"actor_id", "actor_ids"},
                                                  {"actor_type", "actor_types"},
                                                  {"principal", "principals"},
                                                  {"priority", "priorities"},
                                                  {"workflow_id", "workflow_ids"},
                                                  {"source", "sources"}}};

Value list_of(const std::vector<std::string>& texts) {
  Value list = Value::array();
  for (const std::string& text : texts) list.push(text);
  return list;
}

std::vector<std::string> as_facts(std::vector<std::string> texts) {
  for (std::string& text : texts)
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

Value labels_of(job::Members& members) {
  Value labels = members.object("labels");
  if (labels.is_null()) return Value::object();
  for (const Value::Member& label : labels.members())
    if (!label.value.is_string()) members.wrong("labels", "The value of a label is a text.");
  return labels;
}

}  // namespace

std::string_view match_name_of(TextFact fact) { return names[static_cast<size_t>(fact)].list; }
std::string_view name_of(TextFact fact) { return names[static_cast<size_t>(fact)].one; }

std::optional<TextFact> text_fact_of(std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].one == name) return static_cast<TextFact>(i);
  return std::nullopt;
}

Facts facts_of(const job::Job& job) {
  const job::Request& request = job.request;
  Facts facts;
  facts[TextFact::tenant] = job.account.text();
  facts[TextFact::topic] = request.topic;
  facts[TextFact::capability] = request.capability;
  facts[TextFact::pack_id] = request.pack_id;
  facts[TextFact::actor_id] = request.actor.id;
  facts[TextFact::actor_type] = job::name_of(request.actor.type);
  facts[TextFact::principal] = request.principal_id;
  facts[TextFact::priority] = job::name_of(request.priority);
  facts[TextFact::workflow_id] = request.step.workflow.text();
  facts[TextFact::source] = job::name_of(job.source);
  facts.risk_tags = request.risk_tags;
  facts.requires_ = request.requires_;
  if (request.labels.is_object()) facts.labels = request.labels;
  facts.input_size = request.input.bytes;
  if (request.budget) facts.max_cost_micros = request.budget->max_cost_micros;
  if (job.content && job.content->revision == job.revision) facts.content = job.content->found;
  return facts;
}

Value to_value(const Facts& facts) {
  Value value = Value::object();
  for (size_t i = 0; i < text_facts; ++i)
    if (!facts.texts[i].empty()) value.set(names[i].one, facts.texts[i]);
  if (!facts.risk_tags.empty()) value.set("risk_tags", list_of(facts.risk_tags));
  if (!facts.requires_.empty()) value.set("requires", list_of(facts.requires_));
  if (facts.labels.size() > 0) value.set("labels", facts.labels);
  value.set("input_size", facts.input_size);
  if (facts.max_cost_micros) value.set("max_cost_micros", *facts.max_cost_micros);
  if (facts.content) value.set("content", list_of(*facts.content));
  return value;
}

Outcome<Facts> read_facts(const Value& value, const AccountId& asker) {
  std::vector<Finding> findings;
  job::Members members(value, "", findings);
  Facts facts;
  for (size_t i = 0; i < text_facts; ++i)
    facts.texts[i] = members.text(names[i].one).value_or(std::string());
  if (facts[TextFact::tenant].empty()) facts[TextFact::tenant] = asker.text();
  if (facts[TextFact::topic].empty()) members.require("topic");
  facts[TextFact::topic] = job::full_topic(facts[TextFact::topic]);
  if (facts[TextFact::priority].empty()) facts[TextFact::priority] = "interactive";
  if (facts[TextFact::source].empty()) facts[TextFact::source] = "api";
  if (facts[TextFact::actor_type].empty()) facts[TextFact::actor_type] = "service";
  facts[TextFact::capability] = as_facts({facts[TextFact::capability]}).front();
  facts.risk_tags = as_facts(members.texts("risk_tags"));
  facts.requires_ = as_facts(members.texts("requires"));
  facts.labels = labels_of(members);
  facts.input_size =
      static_cast<uint64_t>(members.integer("input_size", 0, int64_t{1} << 40).value_or(0));
  facts.max_cost_micros = members.integer("max_cost_micros", 0, INT64_MAX);
  if (members.any("content")) facts.content = members.texts("content");
  members.finish();
  if (!findings.empty()) {
    std::string first = findings[0].path + ": " + findings[0].message;
    return fail(ErrorCode::invalid_field, std::move(first), std::move(findings));
  }
  return facts;
}

}  // namespace fermata::policy
