#include "core/graph/nodes/field_path.h"

#include <charconv>

#include "base/check.h"
#include "core/graph/check_words.h"

namespace fermata::graph {
namespace {

/// Takes `["key"]`, `['key']` or `[3]` off the front and gives what stands in it.
std::optional<std::string_view> take_bracket(std::string_view& text) {
  std::string_view inner = text.substr(1);
  bool quotes = !inner.empty() && (inner.front() == '"' || inner.front() == '\'');
  std::string closing = quotes ? std::string{inner.front(), ']'} : "]";
  if (quotes) inner.remove_prefix(1);
  size_t end = inner.find(closing);
  if (end == std::string_view::npos) return std::nullopt;
  text = inner.substr(end + closing.size());
  return inner.substr(0, end);
}

std::string_view without_root(std::string_view text) {
  for (std::string_view root : {"$item", "$json"}) {
    if (!text.starts_with(root)) continue;
    std::string_view rest = text.substr(root.size());
    if (rest.empty() || rest.front() == '[') return rest;
    if (rest.front() == '.') return rest.substr(1);
  }
  return text;
}

}  // namespace

bool FieldPath::add(std::string_view key) {
  if (key.empty() || steps_.size() == field_steps_max) return false;
  Step step{std::string(key), std::nullopt};
  size_t position = 0;
  auto [end, mistake] = std::from_chars(key.data(), key.data() + key.size(), position);
  if (mistake == std::errc() && end == key.data() + key.size()) step.position = position;
  steps_.push_back(std::move(step));
  return true;
}

std::optional<FieldPath> FieldPath::parse(std::string_view text) {
  FieldPath path;
  text = without_root(text);
  while (!text.empty()) {
    if (text.front() == '[') {
      auto key = take_bracket(text);
      if (!key || !path.add(*key)) return std::nullopt;
    } else {
      size_t end = text.find_first_of(".[");
      if (!path.add(text.substr(0, end))) return std::nullopt;
      text.remove_prefix(std::min(end, text.size()));
    }
    if (text.empty() || text.front() == '[') continue;
    if (text.front() != '.' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return path;
}

const Value* FieldPath::child(const Value& in, const Step& step) {
  if (in.is_object()) return in.find(step.key);
  if (!in.is_array() || !step.position || *step.position >= in.size()) return nullptr;
  return &in.items()[*step.position];
}

const Value* FieldPath::find(const Value& in) const {
  const Value* at = &in;
  for (const Step& step : steps_) {
    at = child(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

void FieldPath::replace(Value& in, Value value) const { replace(in, steps_, std::move(value)); }

void FieldPath::replace(Value& in, std::span<const Step> steps, Value value) {
  if (steps.empty()) {
    in = std::move(value);
    return;
  }
  const Value* there = child(in, steps.front());
  check(there != nullptr);
  auto put = [&](Value inner) {
    if (in.is_object())
      in.set(steps.front().key, std::move(inner));
    else
      in.put(*steps.front().position, std::move(inner));
  };
  // The place gives up its share of the child, so that a child nobody else holds is changed
  // where it is.
  Value inner = *there;
  put(Value());
  replace(inner, steps.subspan(1), std::move(value));
  put(std::move(inner));
}

std::optional<DottedName> DottedName::parse(std::string_view text) {
  DottedName name;
  for (std::string_view part : parts_of(text, '.')) {
    if (part.empty() || name.parts_.size() == field_steps_max) return std::nullopt;
    name.parts_.emplace_back(part);
  }
  return name;
}

bool DottedName::assign(Value& in, Value value) const {
  return assign(in, parts_, std::move(value));
}

bool DottedName::assign(Value& in, std::span<const std::string> parts, Value value) {
  if (!in.is_object()) return false;
  const std::string& key = parts.front();
  if (parts.size() == 1) {
    in.set(key, std::move(value));
    return true;
  }
  const Value* there = in.find(key);
  Value inner = there ? *there : Value::object();
  if (there != nullptr) in.set(key, Value());
  if (!assign(inner, parts.subspan(1), std::move(value))) return false;
  in.set(key, std::move(inner));
  return true;
}

}  // namespace fermata::graph
