#include "core/graph/check_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json.h"

namespace fermata::graph {
namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '[';
}

}  // namespace

std::string node_path(size_t index) { return "/nodes/" + std::to_string(index); }
std::string edge_path(size_t index) { return "/edges/" + std::to_string(index); }

std::string shown(const Value& value) {
  if (value.is_string()) return quoted(value.as_string());
  if (value.is_array()) return value.size() == 0 ? "[]" : "an array";
  if (value.is_object()) return value.size() == 0 ? "{}" : "an object";
  return shortened(to_json(value));
}

std::vector<std::string_view> parts_of(std::string_view choices, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = choices.find(separator);
    parts.push_back(choices.substr(0, end));
    if (end == std::string_view::npos) return parts;
    choices.remove_prefix(end + 1);
  }
}

std::string listed(std::string_view choices) {
  auto parts = parts_of(choices);
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " or " : ", ";
    out += parts[i];
  }
  return out;
}

bool is_one_of(std::string_view text, std::string_view choices) {
  auto parts = parts_of(choices);
  return std::find(parts.begin(), parts.end(), text) != parts.end();
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  return nearest_word(word, candidates);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view best = nearest(word, candidates);
  return best.empty() ? std::string() : " Did you mean " + quoted(best) + "?";
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       Findings& findings) {
  if (findings.suggestions_left-- <= 0) return {};
  return suggestion(word, {candidates.begin(), candidates.end()});
}

bool holds_expression(std::string_view text) {
  if (text.find("{{") != std::string_view::npos) return true;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '$') continue;
    if (starts_name(text[i + 1])) return true;
    if (text[i + 1] == '$') ++i;
  }
  return false;
}

bool holds_expression(const Value& value) {
  return value.is_string() && holds_expression(value.as_string());
}

std::optional<double> number_in(const Value& value) {
  if (value.is_number()) return value.as_number();
  if (!value.is_string()) return std::nullopt;
  std::string_view text = value.as_string();
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double number = 0;
  auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (mistake != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

Value sorted_keys(const Value& value) {
  if (value.is_array()) {
    Value items = Value::array();
    items.reserve(value.size());
    for (const Value& item : value.items()) items.push(sorted_keys(item));
    return items;
  }
  if (!value.is_object()) return value;
  std::vector<const Value::Member*> members;
  for (const Value::Member& member : value.members()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->key.as_string() < b->key.as_string(); });
  Value object = Value::object();
  object.reserve(members.size());
  for (const auto* member : members)
    object.set(member->key.as_string(), sorted_keys(member->value));
  return object;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace fermata::graph
