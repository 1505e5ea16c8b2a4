#include <set>

#include "core/policy/read_parts.h"

namespace fermata::policy {

namespace {

using job::VerdictKind;

void read_version(job::Members& members) {
  const Value* version = members.any("version");
  if (!version || !version->is_integer() || version->as_integer() != 1)
    members.wrong("version", "`version: 1` is expected.");
}

std::optional<VerdictKind> read_default(job::Members& members) {
  auto text = members.text("default_decision");
  if (!text) {
    members.wrong("default_decision",
                  "Say what holds for jobs that no rule matches: allow, deny or require_approval.");
    return std::nullopt;
  }
  for (VerdictKind kind : {VerdictKind::allow, VerdictKind::deny, VerdictKind::require_approval})
    if (job::name_of(kind) == *text) return kind;
  members.wrong("default_decision", "`" + *text + "` is none of allow, deny, require_approval.");
  return std::nullopt;
}

/// One of the words, if given.
std::string read_word(job::Members& members, std::string_view name,
                      std::initializer_list<std::string_view> words) {
  auto text = members.text(name);
  if (!text) return {};
  std::string list;
  for (std::string_view word : words) {
    if (word == *text) return *text;
    list.append(list.empty() ? "" : ", ").append(word);
  }
  members.wrong(name, "`" + *text + "` is none of " + list + ".");
  return {};
}

/// What holds while the external kernel cannot be asked. An account may be stricter for itself
/// than the server, never milder (J-33).
std::optional<job::FailMode> read_input_policy(job::Members& members, DocumentKind kind) {
  const Value* given = members.any("input_policy");
  if (!given) return std::nullopt;
  job::Members part(*given, members.path_of("input_policy"), members.findings());
  std::string word = read_word(part, "fail_mode", {"closed", "open"});
  if (word == "open" && kind == DocumentKind::bundle)
    part.wrong("fail_mode", "An account may set `closed` for itself, never `open`.");
  part.finish();
  if (word.empty()) return std::nullopt;
  return word == "open" ? job::FailMode::open : job::FailMode::closed;
}

std::vector<Derivation> read_derive(job::Members& members) {
  std::vector<Derivation> out;
  const Value* list = members.any("derive");
  if (!list) return out;
  if (!list->is_array()) {
    members.wrong("derive", "A list is expected.");
    return out;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    std::string path = members.path_of("derive") + "/" + std::to_string(i);
    job::Members entry(list->items()[i], path, members.findings());
    Derivation derivation;
    derivation.match = read_match(entry);
    entry.require("add_risk_tags");
    derivation.add_risk_tags = read_tags(entry, "add_risk_tags");
    entry.finish();
    out.push_back(std::move(derivation));
  }
  return out;
}

std::vector<Rule> read_rules(job::Members& members, DocumentKind kind, const PatternCheck& check) {
  std::vector<Rule> out;
  const Value* list = members.any("rules");
  if (!list) return out;
  if (!list->is_array() || list->size() > rules_max) {
    members.wrong("rules",
                  "A list of at most " + std::to_string(rules_max) + " rules is expected.");
    return out;
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < list->size(); ++i) {
    std::string path = members.path_of("rules") + "/" + std::to_string(i);
    out.push_back(read_rule(list->items()[i], path, kind, check, members.findings()));
    const std::string& id = out.back().id;
    if (!id.empty() && !seen.insert(id).second)
      members.findings().push_back(
          {"duplicate_id", path + "/id", "Another rule has the id `" + id + "`.", {}});
  }
  return out;
}

}  // namespace

std::string_view name_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::base: return "base";
    case DocumentKind::bundle: return "bundle";
    case DocumentKind::invariants: return "invariants";
  }
  return "";
}

Reading read_document(const Value& value, DocumentKind kind, const PatternCheck& check) {
  Reading reading;
  if (!value.is_object()) {
    reading.findings.push_back({"invalid_field", "", "A policy is an object.", {}});
    return reading;
  }
  job::Members members(value, "", reading.findings);
  read_version(members);
  Document& document = reading.document;
  if (kind == DocumentKind::base) {
    document.default_decision = read_default(members);
    if (read_word(members, "overlays", {"tighten", "relax"}) == "relax")
      document.overlays = Overlays::relax;
    document.output = read_output_policy(members, check);
  }
  if (kind != DocumentKind::invariants) {
    document.fail_mode = read_input_policy(members, kind);
    document.derive = read_derive(members);
  }
  document.rules = read_rules(members, kind, check);
  members.finish();
  return reading;
}

}  // namespace fermata::policy
