#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ports/accounts.h"
#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/contacts.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/outbox.h"
#include "ports/policy_store.h"
#include "ports/pool_store.h"
#include "ports/reader.h"
#include "ports/retention.h"
#include "ports/store.h"
#include "ports/views.h"

namespace fermata {

/// One adapter under a contract test: the ports over one state.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  virtual Reader& reader() = 0;
  virtual Catalog& catalog() = 0;
  virtual Bulks& bulks() = 0;
  virtual Retention& retention() = 0;
  virtual DeadLetters& dead_letters() = 0;
  virtual JobFiles& job_files() = 0;
  virtual PolicyStore& policy() = 0;
  virtual PoolStore& pools() = 0;
  virtual Contacts& contacts() = 0;
  virtual Accounts& accounts() = 0;
  virtual Views& views() = 0;
  virtual Outbox& outbox() = 0;
  /// Ends the adapter and begins again with what it kept; one without a disk does nothing.
  virtual void reopen() = 0;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};
std::vector<StoreKind> store_kinds();

/// A fresh store of every kind for each test.
class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  StoreContract() : under_test_(GetParam().make()) {}
  Store& store() { return under_test_->store(); }
  Reader& reader() { return under_test_->reader(); }
  Catalog& catalog() { return under_test_->catalog(); }
  Bulks& bulks() { return under_test_->bulks(); }
  Retention& retention() { return under_test_->retention(); }
  DeadLetters& dead_letters() { return under_test_->dead_letters(); }
  JobFiles& job_files() { return under_test_->job_files(); }
  PolicyStore& policy() { return under_test_->policy(); }
  PoolStore& pools() { return under_test_->pools(); }
  Contacts& contacts() { return under_test_->contacts(); }
  Accounts& accounts() { return under_test_->accounts(); }
  Views& views() { return under_test_->views(); }
  Outbox& outbox() { return under_test_->outbox(); }
  void reopen() { under_test_->reopen(); }

  /// Commits one write alone and answers its outcome.
  CommitOutcome commit(RunWrite write);
  StoredRun load(const std::string& id);

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
};

/// A running run of account `acme` and workflow `orders` without events.
RunSummary sample_run(const std::string& id);
/// The first commit of a run: `count` events whose bytes name the run.
RunWrite creation(RunSummary summary, uint32_t count = 2);
RunWrite creation(const std::string& id, uint32_t count = 2);
/// The next commit of a run that the store holds.
RunWrite next_write(const StoredRun& run, uint32_t count = 1);
AuditLine sample_line(const std::string& subject, const std::string& account = "acme");

/// The page of audit of one account, all of it.
std::vector<AuditEntry> audit_of(Reader& reader, const std::string& account);
/// Counts 1, 2, 3 …, and every hash follows from the one before.
void expect_valid_chain(std::vector<AuditEntry> newest_first);

std::string kind_name(const testing::TestParamInfo<StoreKind>& info);

}  // namespace fermata
