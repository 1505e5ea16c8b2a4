#include "core/fleet/worker.h"

#include <algorithm>

#include "base/fields.h"
#include "base/utf8.h"
#include "core/job/request.h"

namespace fermata::fleet {

bool is_name(std::string_view text, size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max && is_utf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_topic_pattern(std::string_view pattern) {
  std::string plain(pattern);
  std::replace(plain.begin(), plain.end(), '*', 'x');
  return job::is_valid_topic(plain);
}

void lower_and_sort(std::vector<std::string>& texts) {
  for (std::string& text : texts)
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

namespace {

void check_labels(std::vector<Finding>& findings, const Value& labels) {
  if (labels.is_null()) return;
  bool fine = labels.is_object() && labels.size() <= job::labels_max;
  if (fine)
    for (const Value::Member& label : labels.members())
      fine = fine && is_name(label.key.as_string(), job::label_key_bytes_max) &&
             label.value.is_string() &&
             label.value.as_string().size() <= job::label_value_bytes_max;
  if (!fine)
    findings.push_back(
        {"invalid_field",
         "/labels",
         "An object of at most " + std::to_string(job::labels_max) + " texts is expected.",
         {}});
}

}  // namespace

Value placement_of(const Value& labels) {
  Value out = Value::object();
  if (!labels.is_object()) return out;
  for (const Value::Member& label : labels.members()) {
    std::string_view key = label.key.as_string();
    if (key.starts_with("placement.") || key.starts_with("constraint.") || key.starts_with("node."))
      out.set(key, label.value);
  }
  return out;
}

void normalize(WorkerCard& card) {
  for (std::string& topic : card.topics) topic = topic == "*" ? "job.*" : job::full_topic(topic);
  std::sort(card.topics.begin(), card.topics.end());
  card.topics.erase(std::unique(card.topics.begin(), card.topics.end()), card.topics.end());
  lower_and_sort(card.capabilities);
}

std::vector<Finding> check_card(const WorkerCard& card) {
  std::vector<Finding> findings;
  auto wrong = [&](std::string path, std::string message) {
    findings.push_back({"invalid_field", std::move(path), std::move(message), {}});
  };
  if (!is_name(card.worker.text(), worker_id_bytes_max))
    wrong("/worker_id", "1 to " + std::to_string(worker_id_bytes_max) +
                            " bytes without control characters are expected.");
  if (!is_name(card.pool, job::name_bytes_max))
    wrong("/pool", "1 to " + std::to_string(job::name_bytes_max) +
                       " bytes without control characters are expected.");
  if (card.topics.empty() || card.topics.size() > worker_topics_max)
    wrong("/topics", "1 to " + std::to_string(worker_topics_max) + " topics are expected.");
  for (const std::string& topic : card.topics)
    if (!is_topic_pattern(topic))
      findings.push_back({"topic_invalid",
                          "/topics",
                          "`" + topic.substr(0, job::topic_bytes_max) +
                              "`: words of letters, digits, _, - and *, joined by dots, are "
                              "expected.",
                          {}});
  if (card.max_parallel < 1 || card.max_parallel > worker_parallel_max)
    wrong("/max_parallel", "1 to " + std::to_string(worker_parallel_max) + " is expected.");
  if (card.capabilities.size() > job::facts_max)
    wrong("/capabilities", "At most " + std::to_string(job::facts_max) + " are allowed.");
  for (const std::string& capability : card.capabilities)
    if (!is_name(capability, job::fact_bytes_max))
      wrong("/capabilities", "1 to " + std::to_string(job::fact_bytes_max) +
                                 " bytes without control characters are expected.");
  check_labels(findings, card.labels);
  for (const auto& [path, text] :
       {std::pair{"/region", &card.region}, {"/type", &card.type}, {"/sdk", &card.sdk}})
    if (!text->empty() && !is_name(*text, job::name_bytes_max))
      wrong(path, "At most " + std::to_string(job::name_bytes_max) +
                      " bytes without control characters are expected.");
  return findings;
}

std::string encode(const RegistrationRecord& record) {
  ByteWriter out;
  FieldWriter writer(out);
  writer.put(record);
  return out.take();
}

Outcome<RegistrationRecord> decode_registration(std::string_view bytes) {
  ByteReader in(bytes);
  RegistrationRecord record;
  FieldReader(in).take(record);
  if (!in.done())
    return fail(ErrorCode::data_damaged, "a stored registration of a worker cannot be read");
  return record;
}

bool fits(std::string_view pattern, std::string_view text) {
  // Linear in practice: after a mismatch only the latest star is tried again.
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace fermata::fleet
