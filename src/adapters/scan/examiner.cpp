#include "adapters/scan/examiner.h"

#include <chrono>

#include "base/hash.h"
#include "base/json.h"

namespace fermata::scan {
namespace {

using job::OutputDecision;

/// Policies whose rules stay compiled: that in force, and those of accounts of their own.
constexpr size_t books_max = 64;
constexpr size_t searches_max = 4'096;
/// Artifacts that begin like JSON are read as such up to this size.
constexpr size_t json_bytes_max = 8 << 20;
constexpr JsonLimits any_depth{.nesting_max = json_nesting_ceiling};

bool may_be_json(std::string_view bytes) {
  size_t first = bytes.find_first_not_of(" \t\r\n");
  return bytes.size() <= json_bytes_max && first != std::string_view::npos &&
         (bytes[first] == '{' || bytes[first] == '[' || bytes[first] == '"');
}

bool refuses(OutputDecision decision) {
  return decision == OutputDecision::quarantine || decision == OutputDecision::deny;
}

job::OutputFinding finding_of(const Hit& hit, const policy::OutputRule& rule,
                              const std::string& artifact, const Texts& texts) {
  job::OutputFinding finding;
  finding.scanner = hit.scanner;
  finding.type = hit.type;
  finding.severity = rule.severity;
  finding.confidence = hit.confidence;
  finding.artifact = artifact;
  finding.offset = hit.begin;
  finding.length = hit.length;
  if (!artifact.empty() || texts.pieces().empty() || hit.scanner == "size") return finding;
  const Piece& piece = texts.pieces()[texts.piece_at(hit.begin)];
  finding.pointer = piece.pointer;
  finding.offset = hit.begin - piece.begin;
  return finding;
}

}  // namespace

std::shared_ptr<const Examiner::Book> Examiner::book_of(const policy::AccountPolicy& policy) {
  std::lock_guard lock(mutex_);
  auto found = books_.find(policy.snapshot);
  if (found != books_.end()) return found->second;
  auto book = std::make_shared<Book>();
  const policy::OutputPolicy& output = *policy.output();
  for (const policy::OutputRule& rule : output.rules)
    book->push_back(rule.match.content.empty()
                        ? nullptr
                        : std::make_unique<ContentSearch>(rule.match.content, output.national_ids));
  if (books_.size() >= books_max) books_.clear();
  books_[policy.snapshot] = book;
  return book;
}

Outcome<std::vector<Examiner::Part>> Examiner::read(const ScanWork& work,
                                                    job::JudgeOutput& judged) {
  FERMATA_TRY(held, files_.held_output(work.ticket.job));
  if (held && held->empty()) {
    FERMATA_TRY(put, files_.blob(work.account, work.sha256));
    held = std::move(put);
  }
  if (!held) return fail(ErrorCode::value_not_found, "the output is not there any more");
  judged.sha256 = sha256_hex(*held);
  FERMATA_TRY(value, parse_json(*held, any_depth));
  judged.output = job::Payload::of(value);
  judged.artifacts = work.artifacts;
  std::vector<Part> parts;
  parts.push_back({"", judged.sha256, true, value, Texts::of_json(value)});
  if (work.read_only) return parts;
  for (const job::Artifact& artifact : work.artifacts) {
    FERMATA_TRY(bytes, files_.blob(work.account, artifact.sha256));
    if (!bytes)
      return fail(ErrorCode::value_not_found, "artifact " + artifact.name + " is not there");
    Part part{artifact.name, artifact.sha256, false, {}, {}};
    auto document = may_be_json(*bytes) ? parse_json(*bytes, any_depth) : Outcome<Value>(Value());
    part.json = may_be_json(*bytes) && document;
    if (part.json) part.value = *document;
    part.texts = part.json ? Texts::of_json(part.value) : Texts::of_bytes(*std::move(bytes));
    parts.push_back(std::move(part));
  }
  return parts;
}

bool Examiner::search(const policy::OutputRule& rule, const ContentSearch& search,
                      const ScanWork& work, std::vector<Part>& parts, job::OutputVerdict& verdict) {
  bool redacts = rule.decision == OutputDecision::redact;
  ContentSearch::Found whole;
  std::vector<job::OutputFinding> findings;
  std::vector<std::vector<Cut>> cuts(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    // The size is that of all of it, and is told once.
    uint64_t bytes = i == 0 ? work.facts.bytes : 0;
    ContentSearch::Found found = search.in(parts[i].texts, bytes, redacts);
    for (const Hit& hit : found.hits) {
      if (findings.size() < job::findings_kept_max)
        findings.push_back(finding_of(hit, rule, parts[i].artifact, parts[i].texts));
      cuts[i].push_back({hit.begin, hit.length});
    }
    found.hits.clear();
    whole.add(std::move(found));
  }
  if (!search.holds(whole)) return false;
  verdict.findings = std::move(findings);
  verdict.found = whole.total;
  for (size_t i = 0; redacts && i < parts.size(); ++i) parts[i].cuts = std::move(cuts[i]);
  return true;
}

void Examiner::redact(const ScanWork& work, std::vector<Part>& parts, job::JudgeOutput& judged) {
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.cuts.empty()) continue;
    if (i == 0) {
      judged.output = job::Payload::of(redacted_json(part.value, part.texts, part.cuts));
      continue;
    }
    std::string bytes = part.json ? to_json(redacted_json(part.value, part.texts, part.cuts))
                                  : redacted_bytes(part.texts, part.cuts);
    auto kept = files_.put_blob(work.account, bytes, now_());
    if (!kept) {
      judged.problem = "a redacted artifact cannot be kept: " + kept.error().message;
      return;
    }
    judged.artifacts[i - 1].sha256 = kept->sha256;
    judged.artifacts[i - 1].bytes = kept->bytes;
  }
}

void Examiner::judge(const ScanWork& work, std::vector<Part>& parts, job::JudgeOutput& judged) {
  if (!work.policy) return;
  const policy::AccountPolicy& policy = work.policy->of(work.account);
  const policy::OutputPolicy* output = policy.output();
  if (!output || output->rules.empty() || !policy::is_on(*output, work.facts.topic)) return;
  auto book = book_of(policy);
  job::OutputVerdict& verdict = judged.verdict;
  for (const policy::OutputRule* rule : policy::candidates(*output, work.facts)) {
    auto position = static_cast<size_t>(rule - output->rules.data());
    const ContentSearch* looks = (*book)[position].get();
    if (looks && !search(*rule, *looks, work, parts, verdict)) continue;
    verdict.decision = rule->decision;
    verdict.rule_id = rule->id;
    verdict.reason = rule->reason;
    verdict.severity = rule->severity;
    if (rule->decision != OutputDecision::redact) return;
    verdict.original_kept = rule->keep_original;
    return redact(work, parts, judged);
  }
}

ScanAnswer Examiner::examine(const ScanWork& work) {
  if (work.ticket.fence == 0) return {work.ticket, examine_input(work)};
  return {work.ticket, examine_output(work)};
}

std::shared_ptr<const ContentSearch> Examiner::search_of(const policy::Content& content,
                                                         const policy::AccountPolicy& policy) {
  std::lock_guard lock(mutex_);
  std::string key = policy.snapshot + " " + policy::content_key(content);
  auto found = searches_.find(key);
  if (found != searches_.end()) return found->second;
  const policy::OutputPolicy* output = policy.output();
  auto made = std::make_shared<const ContentSearch>(
      content, output ? output->national_ids : std::vector<std::string>{});
  if (searches_.size() >= searches_max) searches_.clear();
  searches_[key] = made;
  return made;
}

job::NoteContent Examiner::examine_input(const ScanWork& work) {
  job::NoteContent note;
  note.check.revision = work.ticket.tries;
  note.check.snapshot = work.ticket.snapshot;
  Value value = work.input.value;
  if (work.input.in_blob) {
    auto text = files_.blob(work.account, work.input.sha256);
    auto read = text && *text ? parse_json(**text, any_depth)
                              : Outcome<Value>(fail(ErrorCode::value_not_found, "it is gone"));
    if (!read) {
      note.problem = read.error().message;
      return note;
    }
    value = *std::move(read);
  }
  Texts texts = Texts::of_json(value);
  for (const policy::Content& content : work.wanted) {
    auto search = search_of(content, work.policy->of(work.account));
    if (search->holds(search->in(texts, work.input.bytes, false)))
      note.check.found.push_back(policy::content_key(content));
  }
  return note;
}

job::JudgeOutput Examiner::examine_output(const ScanWork& work) {
  auto begin = std::chrono::steady_clock::now();
  job::JudgeOutput judged;
  judged.fence = work.ticket.fence;
  judged.snapshot = work.ticket.snapshot;
  judged.sha256 = work.sha256;
  auto parts = read(work, judged);
  if (!parts) {
    judged.problem = parts.error().message;
    return judged;
  }
  const std::string snapshot =
      work.policy ? work.policy->of(work.account).snapshot : std::string("none");
  if (!work.read_only && snapshot != work.ticket.snapshot) {
    // Other rules than those that asked must not speak for them.
    judged.problem = "policy has changed meanwhile";
    return judged;
  }
  if (work.read_only) {
    judged.verdict.unscanned = true;
    judged.verdict.reason = "it could not be scanned, and policy lets such results pass";
  } else {
    judge(work, *parts, judged);
  }
  auto took = std::chrono::steady_clock::now() - begin;
  judged.verdict.micros =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  return judged;
}

Value Examiner::cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                        const Value& error) {
  const policy::OutputPolicy* output = policy.output();
  if (!output || output->rules.empty() || !policy::is_on(*output, facts.topic)) return error;
  auto book = book_of(policy);
  Texts texts = Texts::of_json(error);
  for (const policy::OutputRule* rule : policy::candidates(*output, facts)) {
    const ContentSearch* looks = (*book)[static_cast<size_t>(rule - output->rules.data())].get();
    ContentSearch::Found found;
    if (looks) found = looks->in(texts, facts.bytes, true);
    if (looks && !looks->holds(found)) continue;
    if (rule->decision == OutputDecision::allow) return error;
    if (!error.is_object() && refuses(rule->decision)) return redacted_mark;
    Value kept = error;
    if (refuses(rule->decision)) {
      kept.set("message", redacted_mark);
      kept.erase("details");
      return kept;
    }
    std::vector<Cut> cuts;
    for (const Hit& hit : found.hits) cuts.push_back({hit.begin, hit.length});
    return redacted_json(error, texts, cuts);
  }
  return error;
}

}  // namespace fermata::scan
