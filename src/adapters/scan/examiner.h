#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "adapters/scan/content_search.h"
#include "ports/job_files.h"
#include "ports/scans.h"

namespace fermata::scan {

/// Reads results and says what the rules make of them. Safe from several threads.
class Examiner {
 public:
  Examiner(ScanFiles& files, std::function<Instant()> now) : files_(files), now_(std::move(now)) {}

  ScanAnswer examine(const ScanWork& work);
  Value cleaned(const policy::AccountPolicy& policy, const policy::OutputFacts& facts,
                const Value& error);

 private:
  /// What the rules of one policy look for, by their position.
  using Book = std::vector<std::unique_ptr<ContentSearch>>;
  std::shared_ptr<const Book> book_of(const policy::AccountPolicy& policy);

  /// One document of a result.
  struct Part {
    std::string artifact{};  ///< empty: the output
    std::string sha256{};
    bool json = false;
    Value value{};
    Texts texts;
    std::vector<Cut> cuts{};
  };
  job::JudgeOutput examine_output(const ScanWork& work);
  job::NoteContent examine_input(const ScanWork& work);
  std::shared_ptr<const ContentSearch> search_of(const policy::Content& content,
                                                 const policy::AccountPolicy& policy);
  Outcome<std::vector<Part>> read(const ScanWork& work, job::JudgeOutput& judged);
  void judge(const ScanWork& work, std::vector<Part>& parts, job::JudgeOutput& judged);
  bool search(const policy::OutputRule& rule, const ContentSearch& search, const ScanWork& work,
              std::vector<Part>& parts, job::OutputVerdict& verdict);
  void redact(const ScanWork& work, std::vector<Part>& parts, job::JudgeOutput& judged);

  ScanFiles& files_;
  const std::function<Instant()> now_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Book>> books_;  ///< by snapshot
  /// What rules look for in inputs, by snapshot and key.
  std::map<std::string, std::shared_ptr<const ContentSearch>> searches_;
};

}  // namespace fermata::scan
