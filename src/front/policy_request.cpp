#include "front/policy_request.h"

#include "core/job/json_fields.h"
#include "core/job/members.h"

namespace fermata::front {

using policy::DocumentKind;

namespace {

Failure<Error> invalid_policy(std::vector<Finding> findings, const std::string& path) {
  for (Finding& finding : findings) finding.path = path + finding.path;
  std::string first = findings.empty() ? "it cannot be read" : findings[0].message;
  if (!findings.empty() && findings[0].line > 0)
    first =
        std::to_string(findings[0].line) + ":" + std::to_string(findings[0].column) + ": " + first;
  return fail(ErrorCode::policy_invalid, std::move(first), std::move(findings));
}

Outcome<Value> read_layer(const Value& given, DocumentKind kind, const policy::TextReader& reader,
                          const std::string& path) {
  auto document = read_policy_document(given, kind, reader);
  if (document) return document;
  return invalid_policy(document.error().findings, path);
}

std::optional<job::VerdictKind> decision_named(std::string_view name) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(last_of(job::VerdictKind{})); ++i)
    if (job::name_of(static_cast<job::VerdictKind>(i)) == name)
      return static_cast<job::VerdictKind>(i);
  return std::nullopt;
}

}  // namespace

Outcome<Value> read_policy_document(const Value& given, DocumentKind kind,
                                    const policy::TextReader& reader) {
  const Value& text = given.is_string() ? given : given.get("yaml");
  if (!text.is_string()) {
    auto reading = policy::read_document(given, kind, reader.check);
    if (!reading.ok()) return invalid_policy(std::move(reading.findings), "");
    return given;
  }
  auto read = reader(text.as_string());
  if (!read) return invalid_policy(read.error().findings, "");
  auto reading = policy::read_document(read->value, kind, reader.check);
  policy::locate(reading.findings, *read);
  if (!reading.ok()) return invalid_policy(std::move(reading.findings), "");
  return std::move(read->value);
}

Outcome<std::vector<policy::BundleSource>> read_bundles(const Value& given,
                                                        const policy::TextReader& reader,
                                                        const std::string& path) {
  std::vector<policy::BundleSource> bundles;
  bool fits = given.is_array() && given.size() <= 100;
  for (size_t i = 0; fits && i < given.size(); ++i) {
    const Value& one = given.items()[i];
    std::string here = path + "/" + std::to_string(i);
    if (!one.get("id").is_string()) {
      fits = false;
      break;
    }
    for (const policy::BundleSource& other : bundles)
      if (one.get("id") == Value(other.id))
        return fail(ErrorCode::invalid_field, here + "/id: Another bundle has this id.",
                    {{"invalid_field", here + "/id", "Another bundle has this id.", {}}});
    FERMATA_TRY(document,
                read_layer(one.get("document"), DocumentKind::bundle, reader, here + "/document"));
    bundles.push_back({std::string(one.get("id").as_string()), std::move(document)});
  }
  if (fits) return bundles;
  std::string message = "A list of at most 100 objects {id, document} is expected.";
  return fail(ErrorCode::invalid_field, path + ": " + message,
              {{"invalid_field", path, message, {}}});
}

Outcome<policy::PolicyPtr> candidate_policy(const Value& candidate, const policy::Sources& current,
                                            const AccountId& account,
                                            const policy::TextReader& reader) {
  policy::Sources sources = current;
  bool layers = candidate.is_object() && (candidate.find("base") || candidate.find("bundles") ||
                                          candidate.find("invariants"));
  if (!layers) {
    FERMATA_TRY(base, read_layer(candidate, DocumentKind::base, reader, "/candidate"));
    sources.base = std::move(base);
    return policy::PolicySet::compile(std::move(sources));
  }
  if (const Value* base = candidate.find("base")) {
    FERMATA_TRY(document, read_layer(*base, DocumentKind::base, reader, "/candidate/base"));
    sources.base = std::move(document);
  }
  if (const Value* invariants = candidate.find("invariants")) {
    FERMATA_TRY(document,
                read_layer(*invariants, DocumentKind::invariants, reader, "/candidate/invariants"));
    sources.invariants = std::move(document);
  }
  if (const Value* bundles = candidate.find("bundles")) {
    FERMATA_TRY(list, read_bundles(*bundles, reader, "/candidate/bundles"));
    sources.bundles[account] = std::move(list);
  }
  return policy::PolicySet::compile(std::move(sources));
}

Outcome<Value> own_snapshot(PolicyStore& store, const AccountId& account,
                            const std::string& snapshot) {
  constexpr size_t versions_page = 1'000;
  FERMATA_TRY(effective, store.snapshot(snapshot));
  bool known = effective && effective->get("bundles").size() == 0;
  std::string cursor;
  while (effective && !known) {
    FERMATA_TRY(page, store.policy_versions(account, versions_page, cursor));
    for (const PolicyVersion& version : page.items)
      known = known || (version.account == account && version.snapshot == snapshot);
    cursor = page.next_cursor;
    if (cursor.empty()) break;
  }
  if (known) return *std::move(effective);
  return fail(ErrorCode::snapshot_not_found, "There is no snapshot `" + snapshot + "`.");
}

Outcome<DecisionFilter> read_decision_filter(const NamedValues& query, const AccountId& account) {
  Value body = Value::object();
  for (const auto& [name, value] : query)
    if (name != "limit" && name != "cursor") body.set(name, value);
  auto filter = read_decision_filter(body, account);
  if (filter) return filter;
  Error error = filter.error();
  error.code = ErrorCode::invalid_query;
  return Failure{std::move(error)};
}

Outcome<DecisionFilter> read_decision_filter(const Value& body, const AccountId& account) {
  std::vector<Finding> findings;
  job::Members members(body, "", findings);
  DecisionFilter filter;
  filter.account = account;
  filter.job = JobId(members.text_or_empty("job_id"));
  if (auto topic = members.text("topic")) {
    bool whole = topic->starts_with("job.") || topic->starts_with('*');
    filter.topic = whole ? *topic : "job." + *topic;
  }
  if (auto name = members.text("decision")) {
    filter.decision = decision_named(*name);
    if (!filter.decision) members.wrong("decision", "`" + *name + "` is no decision.");
  }
  filter.rule_id = members.text_or_empty("rule_id");
  filter.snapshot = members.text_or_empty("snapshot");
  for (const char* name : {"from", "to"}) {
    auto text = members.text(name);
    if (!text) continue;
    auto at = parse_rfc3339(*text);
    if (!at) members.wrong(name, "An instant such as 2026-01-31T12:00:00Z is expected.");
    if (at) (std::string_view(name) == "from" ? filter.from : filter.to) = *at;
  }
  members.finish();
  if (findings.empty()) return filter;
  std::string first = findings[0].path + ": " + findings[0].message;
  return fail(ErrorCode::invalid_field, std::move(first), std::move(findings));
}

Value decision_value(const job::PolicyDecision& decision) {
  Value out = job::to_value(decision);
  out.erase("counted");
  out.set("at", to_rfc3339(decision.at));
  return out;
}

Value verdict_value(const job::Judged& judged) {
  const job::Verdict& verdict = judged.verdict;
  return Value::object({{"decision", job::name_of(verdict.kind)},
                        {"rule_id", verdict.rule_id},
                        {"bundle", verdict.bundle},
                        {"reason", verdict.reason},
                        {"snapshot", verdict.snapshot},
                        {"constraints", verdict.constraints},
                        {"approval", verdict.approval},
                        {"remediations", verdict.remediations},
                        {"facts", judged.facts}});
}

Value explained_value(const std::vector<policy::Explained>& lines) {
  Value list = Value::array();
  for (const policy::Explained& line : lines) {
    Value one = Value::object({{"layer", policy::name_of(line.layer)},
                               {"bundle", line.bundle},
                               {"rule_id", line.rule_id},
                               {"decision", job::name_of(line.decision)},
                               {"matched", line.matched}});
    if (!line.matched) one.set("failed", line.failed);
    list.push(std::move(one));
  }
  return list;
}

}  // namespace fermata::front
