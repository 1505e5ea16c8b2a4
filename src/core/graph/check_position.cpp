#include <algorithm>
#include <map>

#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

std::string unescaped(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    bool escaped = token[i] == '~' && i + 1 < token.size();
    out += !escaped ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return out;
}

/// The position of the thing a pointer names, as the index taken at each step down. What does not
/// exist stands where its nearest existing ancestor begins.
std::vector<size_t> order_of(const Value& document, std::string_view pointer) {
  std::vector<size_t> order;
  const Value* here = &document;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    std::string token = unescaped(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
    size_t index = 0;
    const Value* next = nullptr;
    if (here->is_array()) {
      for (char c : token) index = index * 10 + static_cast<size_t>(c - '0');
      if (index < here->size()) next = &here->items()[index];
    } else if (here->is_object()) {
      for (size_t i = 0; i < here->size() && next == nullptr; ++i)
        if (here->members()[i].key.as_string() == token) {
          index = i;
          next = &here->members()[i].value;
        }
    }
    if (next == nullptr) return order;
    order.push_back(index);
    here = next;
  }
  return order;
}

/// Offsets of the elements of the array that begins at `begin`, found in one pass.
std::vector<size_t> element_offsets(std::string_view text, size_t begin) {
  std::vector<size_t> offsets;
  size_t depth = 0;
  bool in_string = false, wanted = false;
  for (size_t i = begin; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    bool closes = c == ']' || c == '}';
    if (wanted && !closes) offsets.push_back(i);
    wanted = false;
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') wanted = ++depth == 1;
    if (closes && --depth == 0) return offsets;
    if (c == ',' && depth == 1) wanted = true;
  }
  return offsets;
}

/// Finds pointers in a text. Elements of `nodes` and `edges` are looked up from a list, so that
/// many findings in a long text do not each read it from the start.
class TextLocator {
 public:
  explicit TextLocator(std::string_view text) : text_(text) {}

  size_t offset_of(std::string_view pointer) {
    for (std::string_view array : {"/nodes", "/edges"}) {
      if (!pointer.starts_with(array) || pointer.size() <= array.size() + 1) continue;
      std::string_view rest = pointer.substr(array.size() + 1);
      size_t index = 0, digits = 0;
      for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
        index = index * 10 + static_cast<size_t>(rest[digits] - '0');
      const auto& elements = elements_of(array);
      if (digits == 0 || index >= elements.size()) break;
      return elements[index] + locate_json(text_.substr(elements[index]), rest.substr(digits));
    }
    return locate_json(text_, pointer);
  }

 private:
  const std::vector<size_t>& elements_of(std::string_view array) {
    auto [entry, fresh] = elements_.try_emplace(array);
    if (fresh) entry->second = element_offsets(text_, locate_json(text_, array));
    return entry->second;
  }

  std::string_view text_;
  std::map<std::string_view, std::vector<size_t>> elements_;
};

}  // namespace

void order_findings(const Value& document, std::string_view text, std::vector<Finding>& findings) {
  std::vector<std::pair<std::vector<size_t>, size_t>> order;
  for (size_t i = 0; i < findings.size(); ++i)
    order.emplace_back(order_of(document, findings[i].path), i);
  std::sort(order.begin(), order.end());
  std::vector<Finding> sorted;
  for (const auto& entry : order) sorted.push_back(std::move(findings[entry.second]));
  findings = std::move(sorted);
  if (text.empty()) return;

  // Editors show no column for a byte order mark.
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  TextLocator locator(text);
  TextPosition position;
  for (Finding& finding : findings) {
    size_t offset = locator.offset_of(finding.path);
    // Findings come in document order, so each position continues from the one before.
    if (offset < position.offset) position = {};
    TextPosition step = position_at(text.substr(position.offset), offset - position.offset);
    position.column = step.line == 1 ? position.column + step.column - 1 : step.column;
    position.line += step.line - 1;
    position.offset = offset;
    finding.line = position.line;
    finding.column = position.column;
  }
}

}  // namespace fermata::graph
