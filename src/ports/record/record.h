#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ports/catalog.h"
#include "ports/reader.h"
#include "ports/retention.h"

namespace fermata::record {

/// The forms in which stores keep things; every adapter with a disk uses them, so that none has to
/// know another. Every row keeps its content as one record: bytes followed by a checksum over them
/// and a number that is the row's own (its place, or a hash of its key), so that neither a flipped
/// bit nor a row in another's place is taken for the truth. Each `decode` gives nothing for a
/// record that is damaged.
std::string seal(std::string body, uint64_t number);
std::optional<std::string_view> unseal(std::string_view record, uint64_t number);

struct RunRecord {
  uint64_t version = 0;
  uint64_t head = 0;  ///< number of the newest row of its history, 0 for none
  RunSummary summary;
};
std::string encode_run(uint64_t version, uint64_t head, const RunSummary& summary, uint64_t number);
std::optional<RunRecord> decode_run(std::string_view record, uint64_t number);

/// The lead of a run's record, which is all that the next commit of the run needs.
struct RunLead {
  uint64_t version = 0;
  uint64_t head = 0;
  uint64_t last_sequence = 0;
  RunStatus status = RunStatus::running;
};
std::optional<RunLead> decode_run_lead(std::string_view record, uint64_t number);

/// History bytes are kept as they came, beside their checksum.
uint32_t history_checksum(uint64_t run, uint64_t prev, const HistoryChunk& chunk);
uint32_t checkpoint_checksum(uint64_t run, const Checkpoint& checkpoint);

std::string encode_audit(const AuditEntry& entry, uint64_t number);
std::optional<AuditEntry> decode_audit(std::string_view record, uint64_t number);

/// A line that is not chained yet.
std::string encode_line(const AuditLine& line, uint64_t number);
std::optional<AuditLine> decode_line(std::string_view record, uint64_t number);

std::string encode_audit_root(const AuditRoot& root, uint64_t number);
std::optional<AuditRoot> decode_audit_root(std::string_view record, uint64_t number);

std::string encode_workflow(const WorkflowRecord& workflow, uint64_t number);
std::optional<WorkflowRecord> decode_workflow(std::string_view record, uint64_t number);

std::string encode_version(const WorkflowVersion& version, uint64_t number);
std::optional<WorkflowVersion> decode_version(std::string_view record, uint64_t number);

std::string encode_key(const KeyRecord& key, uint64_t number);
std::optional<KeyRecord> decode_key(std::string_view record, uint64_t number);

std::string encode_credential(const CredentialRecord& credential, uint64_t number);
std::optional<CredentialRecord> decode_credential(std::string_view record, uint64_t number);

std::string encode_mark(const IdempotencyMark& mark, uint64_t number);
std::optional<IdempotencyMark> decode_mark(std::string_view record, uint64_t number);

/// The failure that names a damaged row.
Failure<Error> damaged(std::string_view table, uint64_t number, std::string_view what);

}  // namespace fermata::record
