#include "core/job/request.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"

namespace fermata::job {

namespace {

constexpr std::string_view topic_root = "job.";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

void normalize_facts(std::vector<std::string>& facts) {
  for (std::string& fact : facts) fact = lower(fact);
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
}

}  // namespace

std::string_view name_of(ActorType type) { return type == ActorType::human ? "human" : "service"; }
std::string_view name_of(CompensateWhen when) {
  return when == CompensateWhen::succeeded ? "succeeded" : "dispatched";
}

Payload Payload::of(Value value) {
  Payload payload;
  std::string text = to_canonical_json(value);
  payload.sha256 = sha256_hex(text);
  payload.bytes = text.size();
  payload.value = std::move(value);
  return payload;
}

Payload Payload::as_blob() const {
  Payload reference = *this;
  reference.value = Value();
  reference.in_blob = true;
  return reference;
}

std::string full_topic(std::string_view name) {
  if (name.starts_with(topic_root)) return std::string(name);
  return std::string(topic_root).append(name);
}

bool is_valid_topic(std::string_view topic) {
  if (topic.size() > topic_bytes_max || !topic.starts_with(topic_root)) return false;
  char before = '.';
  for (char c : topic) {
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c == '-';
    if (!word && (c != '.' || before == '.')) return false;
    before = c;
  }
  return before != '.';
}

bool is_reserved_label(std::string_view key) {
  for (std::string_view beginning : {"approval_", "safety_", "saga_", "fermata."})
    if (key.starts_with(beginning)) return true;
  return key == "is_compensation";
}

void normalize(Request& request) {
  request.topic = full_topic(request.topic);
  request.capability = lower(request.capability);
  normalize_facts(request.risk_tags);
  normalize_facts(request.requires_);
  if (!request.compensation) return;
  Compensation& undo = *request.compensation;
  undo.topic = full_topic(undo.topic);
  undo.capability = lower(undo.capability);
  normalize_facts(undo.risk_tags);
  normalize_facts(undo.requires_);
}

}  // namespace fermata::job
