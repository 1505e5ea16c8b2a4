#include "ports/record/record.h"

#include <array>

#include "base/bytes.h"
#include "base/hash.h"

namespace fermata::record {
namespace {

constexpr size_t checksum_bytes = 4;

uint32_t checksum(std::string_view body, uint64_t number) {
  uint64_t mixed = number * 0x9e3779b97f4a7c15ULL;
  return crc32c(body) ^ static_cast<uint32_t>(mixed >> 32);
}

void put_instant(ByteWriter& out, const std::optional<Instant>& at) {
  out.u8(at.has_value());
  if (at) out.zigzag(at->ms);
}

std::optional<Instant> get_instant(ByteReader& in) {
  if (in.u8() == 0) return std::nullopt;
  return Instant{in.zigzag()};
}

std::string get_text(ByteReader& in) { return std::string(in.text()); }

template <class E>
E get_enum(ByteReader& in, E last) {
  uint8_t value = in.u8();
  if (value > static_cast<uint8_t>(last)) in.fail();
  return static_cast<E>(value);
}

/// The bytes that 64 digits of lower-case hex stand for; nothing for any other text.
std::optional<std::array<char, 32>> bytes_of_hex(std::string_view text) {
  std::array<char, 32> bytes;
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return std::nullopt;
    int nibble = digit ? c - '0' : c - 'a' + 10;
    bytes[i / 2] = static_cast<char>(i % 2 == 0 ? nibble << 4 : bytes[i / 2] | nibble);
  }
  return bytes;
}

/// A hash in hex takes half the room as bytes; any other text stays a text.
void put_hash(ByteWriter& out, const std::string& hash) {
  auto bytes = bytes_of_hex(hash);
  out.u8(bytes.has_value());
  out.text(bytes ? std::string_view(bytes->data(), bytes->size()) : std::string_view(hash));
}

std::string get_hash(ByteReader& in) {
  bool raw = in.u8() != 0;
  std::string_view text = in.text();
  return raw ? hex(text) : std::string(text);
}

void put_line(ByteWriter& out, const AuditLine& line) {
  out.text(line.account.text());
  out.zigzag(line.at.ms);
  out.text(line.actor);
  out.text(line.action);
  out.text(line.subject);
  out.text(line.reason);
  out.value(line.details);
}

AuditLine get_line(ByteReader& in) {
  AuditLine line;
  line.account = AccountId(get_text(in));
  line.at = Instant{in.zigzag()};
  line.actor = get_text(in);
  line.action = get_text(in);
  line.subject = get_text(in);
  line.reason = get_text(in);
  line.details = in.value();
  return line;
}

RunLead get_run_lead(ByteReader& in) {
  RunLead lead;
  lead.version = in.varint();
  lead.head = in.varint();
  lead.last_sequence = in.varint();
  lead.status = get_enum(in, RunStatus::timed_out);
  return lead;
}

}  // namespace

std::string seal(std::string body, uint64_t number) {
  uint32_t sum = checksum(body, number);
  for (size_t i = 0; i < checksum_bytes; ++i) body += static_cast<char>(sum >> (8 * i));
  return body;
}

std::optional<std::string_view> unseal(std::string_view record, uint64_t number) {
  if (record.size() < checksum_bytes) return std::nullopt;
  std::string_view body = record.substr(0, record.size() - checksum_bytes);
  uint32_t sum = 0;
  for (size_t i = 0; i < checksum_bytes; ++i) {
    sum |= static_cast<uint32_t>(static_cast<unsigned char>(record[body.size() + i])) << (8 * i);
  }
  if (sum != checksum(body, number)) return std::nullopt;
  return body;
}

std::string encode_run(uint64_t version, uint64_t head, const RunSummary& run, uint64_t number) {
  ByteWriter out;
  out.varint(version);
  out.varint(head);
  out.varint(run.last_sequence);
  out.u8(static_cast<uint8_t>(run.status));
  put_instant(out, run.next_due);
  out.varint(run.calls_pending);
  out.text(run.id.text());
  out.text(run.account.text());
  out.text(run.workflow.text());
  out.varint(run.workflow_version);
  put_hash(out, run.definition.text());
  out.zigzag(run.started_at.ms);
  put_instant(out, run.completed_at);
  out.text(run.contact_id);
  out.text(run.parent.text());
  out.value(run.labels);
  out.text(run.error_code);
  out.text(run.exit_reason);
  put_hash(out, run.request_hash);
  out.text(run.origin.text());
  out.varint(run.former_definitions.size());
  for (const DefinitionHash& hash : run.former_definitions) put_hash(out, hash.text());
  out.u8(static_cast<uint8_t>(run.saga));
  return seal(out.take(), number);
}

std::optional<RunRecord> decode_run(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  RunLead lead = get_run_lead(in);
  RunRecord out{lead.version, lead.head, {}};
  RunSummary& run = out.summary;
  run.last_sequence = lead.last_sequence;
  run.status = lead.status;
  run.next_due = get_instant(in);
  run.calls_pending = static_cast<uint32_t>(in.varint());
  run.id = RunId(get_text(in));
  run.account = AccountId(get_text(in));
  run.workflow = WorkflowId(get_text(in));
  run.workflow_version = static_cast<uint32_t>(in.varint());
  run.definition = DefinitionHash(get_hash(in));
  run.started_at = Instant{in.zigzag()};
  run.completed_at = get_instant(in);
  run.contact_id = get_text(in);
  run.parent = RunId(get_text(in));
  run.labels = in.value();
  run.error_code = get_text(in);
  run.exit_reason = get_text(in);
  run.request_hash = get_hash(in);
  if (in.done()) return out;  // written before runs were removed
  run.origin = RunId(get_text(in));
  for (size_t n = in.count(); n > 0 && in.ok(); --n)
    run.former_definitions.emplace_back(get_hash(in));
  if (in.done()) return out;  // written before there were sagas
  uint8_t saga = in.u8();
  if (saga > static_cast<uint8_t>(last_of(SagaStatus{}))) return std::nullopt;
  run.saga = static_cast<SagaStatus>(saga);
  if (!in.done()) return std::nullopt;
  return out;
}

std::optional<RunLead> decode_run_lead(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  RunLead lead = get_run_lead(in);
  if (!in.ok()) return std::nullopt;
  return lead;
}

uint32_t history_checksum(uint64_t run, uint64_t prev, const HistoryChunk& chunk) {
  ByteWriter place;
  place.varint(run);
  place.varint(prev);
  place.varint(chunk.first_sequence);
  place.varint(chunk.count);
  return checksum(chunk.bytes, crc32c(place.bytes()));
}

uint32_t checkpoint_checksum(uint64_t run, const Checkpoint& checkpoint) {
  ByteWriter place;
  place.varint(run);
  place.varint(checkpoint.sequence);
  return checksum(checkpoint.bytes, crc32c(place.bytes()));
}

std::string encode_audit(const AuditEntry& entry, uint64_t number) {
  ByteWriter out;
  out.varint(entry.sequence);
  put_hash(out, entry.prev_hash);
  put_hash(out, entry.hash);
  put_line(out, entry.line);
  return seal(out.take(), number);
}

std::optional<AuditEntry> decode_audit(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  AuditEntry entry;
  entry.sequence = in.varint();
  entry.prev_hash = get_hash(in);
  entry.hash = get_hash(in);
  entry.line = get_line(in);
  if (!in.done()) return std::nullopt;
  return entry;
}

std::string encode_line(const AuditLine& line, uint64_t number) {
  ByteWriter out;
  put_line(out, line);
  return seal(out.take(), number);
}

std::optional<AuditLine> decode_line(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  AuditLine line = get_line(in);
  if (!in.done()) return std::nullopt;
  return line;
}

std::string encode_audit_root(const AuditRoot& root, uint64_t number) {
  ByteWriter out;
  out.varint(root.sequence);
  put_hash(out, root.hash);
  return seal(out.take(), number);
}

std::optional<AuditRoot> decode_audit_root(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  AuditRoot root;
  root.sequence = in.varint();
  root.hash = get_hash(in);
  if (!in.done()) return std::nullopt;
  return root;
}

std::string encode_workflow(const WorkflowRecord& workflow, uint64_t number) {
  ByteWriter out;
  out.text(workflow.account.text());
  out.text(workflow.id.text());
  out.u8(workflow.active);
  out.varint(workflow.current_version);
  out.varint(workflow.latest_version);
  put_hash(out, workflow.current_hash.text());
  out.value(workflow.layout);
  out.text(workflow.webhook_guid);
  out.zigzag(workflow.created_at.ms);
  out.zigzag(workflow.updated_at.ms);
  out.varint(workflow.revision);
  return seal(out.take(), number);
}

std::optional<WorkflowRecord> decode_workflow(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  WorkflowRecord workflow;
  workflow.account = AccountId(get_text(in));
  workflow.id = WorkflowId(get_text(in));
  workflow.active = in.u8() != 0;
  workflow.current_version = static_cast<uint32_t>(in.varint());
  workflow.latest_version = static_cast<uint32_t>(in.varint());
  workflow.current_hash = DefinitionHash(get_hash(in));
  workflow.layout = in.value();
  workflow.webhook_guid = get_text(in);
  workflow.created_at = Instant{in.zigzag()};
  workflow.updated_at = Instant{in.zigzag()};
  workflow.revision = in.varint();
  if (!in.done()) return std::nullopt;
  return workflow;
}

std::string encode_version(const WorkflowVersion& version, uint64_t number) {
  ByteWriter out;
  out.varint(version.version);
  put_hash(out, version.hash.text());
  out.zigzag(version.created_at.ms);
  out.text(version.created_by);
  return seal(out.take(), number);
}

std::optional<WorkflowVersion> decode_version(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  WorkflowVersion version;
  version.version = static_cast<uint32_t>(in.varint());
  version.hash = DefinitionHash(get_hash(in));
  version.created_at = Instant{in.zigzag()};
  version.created_by = get_text(in);
  if (!in.done()) return std::nullopt;
  return version;
}

std::string encode_key(const KeyRecord& key, uint64_t number) {
  ByteWriter out;
  out.text(key.id);
  out.text(key.account.text());
  out.text(key.name);
  out.u8(static_cast<uint8_t>(key.role));
  out.text(key.secret_hash);
  out.zigzag(key.created_at.ms);
  put_instant(out, key.expires_at);
  put_instant(out, key.last_used_at);
  put_instant(out, key.revoked_at);
  return seal(out.take(), number);
}

std::optional<KeyRecord> decode_key(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  KeyRecord key;
  key.id = get_text(in);
  key.account = AccountId(get_text(in));
  key.name = get_text(in);
  key.role = get_enum(in, Role::worker);
  key.secret_hash = get_text(in);
  key.created_at = Instant{in.zigzag()};
  key.expires_at = get_instant(in);
  key.last_used_at = get_instant(in);
  key.revoked_at = get_instant(in);
  if (!in.done()) return std::nullopt;
  return key;
}

std::string encode_credential(const CredentialRecord& credential, uint64_t number) {
  ByteWriter out;
  out.text(credential.account.text());
  out.text(credential.id);
  out.text(credential.name);
  out.text(credential.type);
  out.text(credential.sealed);
  out.zigzag(credential.created_at.ms);
  out.zigzag(credential.updated_at.ms);
  put_instant(out, credential.last_used_at);
  put_instant(out, credential.revoked_at);
  out.varint(credential.revision);
  return seal(out.take(), number);
}

std::optional<CredentialRecord> decode_credential(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  CredentialRecord credential;
  credential.account = AccountId(get_text(in));
  credential.id = get_text(in);
  credential.name = get_text(in);
  credential.type = get_text(in);
  credential.sealed = get_text(in);
  credential.created_at = Instant{in.zigzag()};
  credential.updated_at = Instant{in.zigzag()};
  credential.last_used_at = get_instant(in);
  credential.revoked_at = get_instant(in);
  credential.revision = in.varint();
  if (!in.done()) return std::nullopt;
  return credential;
}

std::string encode_mark(const IdempotencyMark& mark, uint64_t number) {
  ByteWriter out;
  out.text(mark.account.text());
  out.text(mark.key);
  out.text(mark.body_hash);
  out.zigzag(mark.status);
  out.text(mark.answer);
  out.zigzag(mark.expires_at.ms);
  return seal(out.take(), number);
}

std::optional<IdempotencyMark> decode_mark(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  IdempotencyMark mark;
  mark.account = AccountId(get_text(in));
  mark.key = get_text(in);
  mark.body_hash = get_text(in);
  mark.status = static_cast<int>(in.zigzag());
  mark.answer = get_text(in);
  mark.expires_at = Instant{in.zigzag()};
  if (!in.done()) return std::nullopt;
  return mark;
}

Failure<Error> damaged(std::string_view table, uint64_t number, std::string_view what) {
  return fail(ErrorCode::data_damaged, std::string(table) + " row " + std::to_string(number) +
                                           " is damaged: " + std::string(what));
}

}  // namespace fermata::record
