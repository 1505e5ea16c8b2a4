#include "base/hash.h"
#include "base/json.h"
#include "ports/reader.h"

namespace fermata {

std::string audit_hash_start() { return std::string(64, '0'); }

std::string audit_hash(const std::string& prev_hash, uint64_t sequence, const AuditLine& line) {
  // The keys stand here in sorted order, so this text is the canonical JSON of the line and anyone
  // with a JSON library can check the chain. It is written out because it is made for every start.
  std::string text;
  text.reserve(320);
  text += prev_hash;
  auto member = [&text](std::string_view lead, const std::string& value) {
    text += lead;
    append_json(text, Value(value));
  };
  member("\n{\"account\":", line.account.text());
  member(",\"action\":", line.action);
  member(",\"actor\":", line.actor);
  text += ",\"at\":" + std::to_string(line.at.ms);
  text += ",\"details\":" + to_canonical_json(line.details);
  member(",\"reason\":", line.reason);
  text += ",\"sequence\":" + std::to_string(sequence);
  member(",\"subject\":", line.subject);
  text += '}';
  return sha256_hex(text);
}

}  // namespace fermata
