#include "front/policy_board.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"

namespace fermata::front {

using policy::DocumentKind;

policy::Sources sources_of(const std::vector<PolicyDocument>& documents) {
  policy::Sources sources;
  std::vector<const PolicyDocument*> bundles;
  for (const PolicyDocument& one : documents) {
    if (one.kind == DocumentKind::base) sources.base = one.document;
    if (one.kind == DocumentKind::invariants) sources.invariants = one.document;
    if (one.kind == DocumentKind::bundle) bundles.push_back(&one);
  }
  std::sort(bundles.begin(), bundles.end(), [](const auto* a, const auto* b) {
    return std::tie(a->position, a->id) < std::tie(b->position, b->id);
  });
  for (const PolicyDocument* bundle : bundles)
    sources.bundles[bundle->account].push_back({bundle->id, bundle->document});
  return sources;
}

PolicyBoard::PolicyBoard(PolicyStore& store, const Clock& clock, Options options)
    : store_(store), clock_(clock), options_(std::move(options)) {
  status_.file = options_.file;
}

policy::PolicyPtr PolicyBoard::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

StoredPolicy PolicyBoard::stored() const {
  std::lock_guard lock(mutex_);
  return stored_;
}

PolicyBoard::Status PolicyBoard::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

void PolicyBoard::failed(const Error& error) {
  ++loads_failed_;
  status_.failure = error;
  status_.failed_at = clock_.now();
  if (options_.on_failed) options_.on_failed(error);
}

Outcome<std::optional<PolicyBoard::FileText>> PolicyBoard::read_file() {
  if (options_.file.empty() || !options_.read_file) return std::optional<FileText>{};
  FERMATA_TRY(text, options_.read_file(options_.file));
  status_.file_present = text.has_value();
  if (!text) return std::optional<FileText>{};
  std::string hash = sha256_hex(*text);
  return std::optional(FileText{*std::move(text), std::move(hash)});
}

Outcome<Value> PolicyBoard::checked(const FileText& file) {
  std::vector<Finding> findings;
  auto read = options_.read_text(file.text);
  if (!read) {
    findings = read.error().findings;
  } else {
    findings =
        policy::read_document(read->value, DocumentKind::base, options_.read_text.check).findings;
    policy::locate(findings, *read);
  }
  if (findings.empty() && read) return std::move(read->value);
  std::string told = policy::first_of(findings, options_.file);
  return fail(ErrorCode::policy_invalid, std::move(told), std::move(findings));
}

Outcome<void> PolicyBoard::load(const FileText& file, const PolicyActor& who) {
  FERMATA_TRY(document, checked(file));
  PolicyDocument base;
  base.document = std::move(document);
  base.at = clock_.now();
  base.by = who.actor;
  base.origin = "file";
  base.file_sha256 = file.sha256;
  PolicyChange change;
  change.written.push_back(std::move(base));
  FERMATA_TRY_VOID(apply(std::move(change), "file", "policy.load", who));
  status_.failure.reset();
  return {};
}

Outcome<void> PolicyBoard::start() {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(stored, store_.stored_policy());
  stored_ = std::move(stored);
  FERMATA_TRY(compiled, policy::PolicySet::compile(sources_of(stored_.documents)));
  current_ = std::move(compiled);
  FERMATA_TRY_VOID(start_from_file());
  if (options_.activate) options_.activate(current_);
  return {};
}

Outcome<void> PolicyBoard::start_from_file() {
  const PolicyDocument* base = find(DocumentKind::base, {}, "");
  auto file = read_file();
  Outcome<void> loaded;
  if (!file) {
    loaded = Failure{file.error()};
  } else if (!*file) {
    bool expected = options_.file_required || (base && base->origin != "api");
    if (!expected) return {};
    loaded = fail(ErrorCode::policy_invalid, options_.file + ": there is no such policy file");
  } else {
    seen_sha256_ = (*file)->sha256;
    // A policy that was rolled back stands until the file says something new.
    if (base && base->file_sha256 == seen_sha256_) return {};
    loaded = load(**file, {{}, "engine", "start"});
  }
  if (loaded) return {};
  if (!base) return loaded;
  failed(loaded.error());
  return {};
}

void PolicyBoard::look() {
  std::lock_guard lock(mutex_);
  auto file = read_file();
  if (!file) return failed(file.error());
  if (!*file) {
    const PolicyDocument* base = find(DocumentKind::base, {}, "");
    if (!base || base->origin == "api" || seen_sha256_.empty()) return;
    seen_sha256_.clear();
    return failed({ErrorCode::policy_invalid,
                   options_.file + ": the policy file is gone; its last content stays in force",
                   {}});
  }
  if ((*file)->sha256 == seen_sha256_) return;
  auto loaded = load(**file, {{}, "engine", "the file has changed"});
  // A mistake is told once; what could not be stored is tried again with the next look.
  if (loaded || loaded.error().code == ErrorCode::policy_invalid) seen_sha256_ = (*file)->sha256;
  if (!loaded) failed(loaded.error());
}

Outcome<void> PolicyBoard::reload(const PolicyActor& who) {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(file, read_file());
  if (!file)
    return fail(ErrorCode::policy_invalid,
                options_.file.empty() ? std::string("there is no policy file (policy_file)")
                                      : options_.file + ": there is no such policy file");
  seen_sha256_ = file->sha256;
  auto loaded = load(*file, who);
  if (!loaded) failed(loaded.error());
  return loaded;
}

const PolicyDocument* PolicyBoard::find(DocumentKind kind, const AccountId& account,
                                        const std::string& id) const {
  for (const PolicyDocument& one : stored_.documents)
    if (one.kind == kind && one.account == account && one.id == id) return &one;
  return nullptr;
}

}  // namespace fermata::front
