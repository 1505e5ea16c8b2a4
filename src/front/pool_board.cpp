#include "front/pool_board.h"

#include "base/hash.h"

namespace fermata::front {

namespace {

fleet::PoolTablePtr table_of(const StoredPools& stored) {
  Value merged = fleet::merge_pools(stored.file, stored.api);
  if (!merged.is_object()) return std::make_shared<const fleet::PoolTable>();
  return std::make_shared<const fleet::PoolTable>(fleet::read_pools(merged).table);
}

}  // namespace

PoolBoard::PoolBoard(PoolStore& store, const Clock& clock, Options options)
    : store_(store),
      clock_(clock),
      options_(std::move(options)),
      current_(std::make_shared<const fleet::PoolTable>()) {
  status_.file = options_.file;
}

fleet::PoolTablePtr PoolBoard::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

StoredPools PoolBoard::stored() const {
  std::lock_guard lock(mutex_);
  return stored_;
}

PoolBoard::Status PoolBoard::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

void PoolBoard::failed(const Error& error) {
  ++loads_failed_;
  status_.failure = error;
  if (options_.on_failed) options_.on_failed(error);
}

Outcome<std::optional<PoolBoard::FileText>> PoolBoard::read_file() {
  if (options_.file.empty() || !options_.read_file) return std::optional<FileText>{};
  FERMATA_TRY(text, options_.read_file(options_.file));
  status_.file_present = text.has_value();
  if (!text) return std::optional<FileText>{};
  std::string hash = sha256_hex(*text);
  return std::optional(FileText{*std::move(text), std::move(hash)});
}

Outcome<void> PoolBoard::load(const FileText& file, const std::string& why) {
  std::vector<Finding> findings;
  auto read = options_.read_text(file.text);
  if (!read) {
    findings = read.error().findings;
  } else {
    findings = fleet::read_pools(read->value).findings;
    policy::locate(findings, *read);
  }
  if (!read || !findings.empty()) {
    std::string told = policy::first_of(findings, options_.file);
    return fail(ErrorCode::invalid_field, std::move(told), std::move(findings));
  }
  StoredPools next = stored_;
  next.file = std::move(read->value);
  next.file_sha256 = file.sha256;
  next.by = "engine";
  FERMATA_TRY_VOID(apply(std::move(next), "file",
                         {{}, clock_.now(), "engine", "pools.load", "pools", why, Value()}));
  status_.failure.reset();
  return {};
}

Outcome<void> PoolBoard::apply(StoredPools next, const std::string& origin, const AuditLine& line) {
  ++next.revision;
  next.at = clock_.now();
  FERMATA_TRY_VOID(store_.change_pools(next, line));
  stored_ = std::move(next);
  current_ = table_of(stored_);
  if (options_.activate) options_.activate(current_);
  if (options_.on_loaded) options_.on_loaded(stored_.revision, origin);
  return {};
}

Outcome<void> PoolBoard::start() {
  std::lock_guard lock(mutex_);
  FERMATA_TRY(stored, store_.stored_pools());
  stored_ = std::move(stored);
  current_ = table_of(stored_);
  if (options_.activate) options_.activate(current_);
  return start_from_file();
}

Outcome<void> PoolBoard::start_from_file() {
  auto file = read_file();
  Outcome<void> loaded;
  if (!file) {
    loaded = Failure{file.error()};
  } else if (!*file) {
    bool expected = options_.file_required || stored_.file.is_object();
    if (!expected) return {};
    loaded = fail(ErrorCode::invalid_field, options_.file + ": there is no such file of pools");
  } else {
    seen_sha256_ = (*file)->sha256;
    if (stored_.file.is_object() && stored_.file_sha256 == seen_sha256_) return {};
    loaded = load(**file, "start");
  }
  if (loaded) return {};
  if (!stored_.file.is_object()) return loaded;
  failed(loaded.error());
  return {};
}

void PoolBoard::look() {
  std::lock_guard lock(mutex_);
  auto file = read_file();
  if (!file) return failed(file.error());
  if (!*file) {
    if (seen_sha256_.empty()) return;
    seen_sha256_.clear();
    return failed({ErrorCode::invalid_field,
                   options_.file + ": the file of pools is gone; its last content stays in force",
                   {}});
  }
  if ((*file)->sha256 == seen_sha256_) return;
  seen_sha256_ = (*file)->sha256;
  if (auto loaded = load(**file, "the file has changed"); !loaded) failed(loaded.error());
}

}  // namespace fermata::front
