#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/policy/text.h"
#include "ports/clock.h"
#include "ports/policy_store.h"

namespace fermata::front {

/// Who changes policy, and why.
struct PolicyActor {
  AccountId account;
  std::string actor;
  std::string reason{};
};

/// Keeps the policy in force: reads its file, takes changes, stores them and has them swapped in
/// whole. A document with a mistake changes nothing (J-23). Safe from several threads.
class PolicyBoard {
 public:
  struct Options {
    std::string file{};          ///< name of the policy file; empty: none
    bool file_required = false;  ///< somebody has named it, so it must be there
    /// Its text; nothing when there is no such file.
    std::function<Outcome<std::optional<std::string>>(const std::string&)> read_file{};
    policy::TextReader read_text{};
    /// Puts a policy into force; returns when it is, unless the engine does not run yet.
    std::function<void(policy::PolicyPtr)> activate{};
    std::function<void(const Error&)> on_failed{};  ///< policy_load_failed
    std::function<void(const std::string& snapshot, const std::string& from)> on_loaded{};
  };
  PolicyBoard(PolicyStore& store, const Clock& clock, Options options);

  /// At start: what is stored, and the file if it has changed since. A broken file leaves the last
  /// good policy in force; without one this fails, naming file, line and column.
  Outcome<void> start();
  /// The file may have changed: loads it if it has.
  void look();
  /// Loads the file now, whatever was in force.
  Outcome<void> reload(const PolicyActor& who);

  /// `if_revision`: of the document as it was read (0: there must be none).
  Outcome<PolicyDocument> put(policy::DocumentKind kind, const std::string& id, Value document,
                              std::optional<uint64_t> if_revision, const PolicyActor& who);
  Outcome<void> remove(policy::DocumentKind kind, const std::string& id,
                       std::optional<uint64_t> if_revision, const PolicyActor& who);
  /// All bundles of the account, in this order, in the place of those it has.
  Outcome<void> publish(std::vector<policy::BundleSource> bundles, const PolicyActor& who);
  /// What was in force for the account under that name. Other layers than the account's own are
  /// changed only for those who may (`whole`).
  Outcome<void> roll_back(const std::string& snapshot, bool whole, const PolicyActor& who);

  policy::PolicyPtr current() const;
  StoredPolicy stored() const;
  struct Status {
    std::string file;
    bool file_present = false;
    std::optional<Error> failure{};  ///< of the last look at the file
    Instant failed_at{};
  };
  Status status() const;
  /// Looks at the file that led to nothing, since the start.
  uint64_t loads_failed() const { return loads_failed_; }
  PolicyStore& store() { return store_; }
  const policy::TextReader& reader() const { return options_.read_text; }

 private:
  struct FileText {
    std::string text;
    std::string sha256;
  };
  Outcome<std::optional<FileText>> read_file();
  Outcome<Value> checked(const FileText& file);
  Outcome<void> load(const FileText& file, const PolicyActor& who);
  Outcome<void> start_from_file();
  void failed(const Error& error);
  const PolicyDocument* find(policy::DocumentKind kind, const AccountId& account,
                             const std::string& id) const;
  Outcome<void> expect(const PolicyDocument* document, std::optional<uint64_t> if_revision) const;
  Outcome<void> not_of_file(policy::DocumentKind kind) const;
  /// Compiles what would hold, stores it and puts it into force.
  Outcome<void> apply(PolicyChange change, const std::string& origin, const std::string& action,
                      const PolicyActor& who);
  void note_versions(const policy::PolicySet& next, PolicyChange& change, const std::string& origin,
                     const PolicyActor& who) const;

  PolicyStore& store_;
  const Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  StoredPolicy stored_;
  policy::PolicyPtr current_;
  Status status_;
  std::atomic<uint64_t> loads_failed_{0};
  std::string seen_sha256_;  ///< of the file as it was last looked at, good or bad
};

/// The layers as stored documents make them.
policy::Sources sources_of(const std::vector<PolicyDocument>& documents);

}  // namespace fermata::front
