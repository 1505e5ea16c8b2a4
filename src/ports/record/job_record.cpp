#include "ports/record/job_record.h"

#include "base/fields.h"
#include "ports/record/record.h"

namespace fermata::record {

std::string encode_job(uint64_t version, uint64_t head, const job::Summary& summary,
                       uint64_t number) {
  ByteWriter out;
  out.varint(version);
  out.varint(head);
  FieldWriter(out).put(summary);
  return seal(std::string(out.bytes()), number);
}

std::optional<JobLead> decode_job_lead(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  JobLead lead;
  lead.version = in.varint();
  lead.head = in.varint();
  // The first fields of job::Summary, in their order.
  ByteReader summary(in.text());
  FieldReader reader(summary);
  job::Phase phase{};
  Instant skipped;
  std::optional<Instant> perhaps;
  summary.text();  // its id
  summary.text();  // its account
  reader.take(lead.state);
  reader.take(phase);
  summary.text();  // the reason code
  reader.take(skipped);
  reader.take(skipped);
  reader.take(perhaps);
  reader.take(perhaps);
  reader.take(lead.last_sequence);
  if (!in.done() || !summary.ok()) return std::nullopt;
  return lead;
}

std::optional<JobRecord> decode_job(std::string_view record, uint64_t number) {
  std::optional<std::string_view> body = unseal(record, number);
  if (!body) return std::nullopt;
  ByteReader in(*body);
  JobRecord out;
  out.version = in.varint();
  out.head = in.varint();
  FieldReader(in).take(out.summary);
  if (!in.done()) return std::nullopt;
  return out;
}

}  // namespace fermata::record
