#include "adapters/redis/redis_checks.h"

#include <map>

namespace fermata {

namespace {

/// The `name:value` lines of INFO.
std::map<std::string, std::string, std::less<>> facts_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> facts;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    facts.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return facts;
}

bool has_tag(const std::string& prefix) {
  size_t open = prefix.find('{');
  size_t close = open == std::string::npos ? open : prefix.find('}', open);
  return close != std::string::npos && close > open + 1;
}

}  // namespace

Outcome<std::vector<RedisFinding>> look_at_redis(RedisConnection& connection,
                                                 const std::string& prefix) {
  FERMATA_TRY(reply, connection.run({"INFO"}));
  if (reply.is_error())
    return fail(ErrorCode::io_failed, "Redis does not say how it is set up: " + reply.text);
  auto facts = facts_of(reply.text);
  std::vector<RedisFinding> findings;
  if (facts["aof_enabled"] == "0")
    findings.push_back({"aof_enabled:0", "a restart empties the index and loses bodies of results",
                        "set `appendonly yes` in Redis; redis.checks = warn allows it", true});
  if (facts["maxmemory"] != "0" && facts["maxmemory_policy"] != "noeviction")
    findings.push_back(
        {"maxmemory:" + facts["maxmemory"] + ", maxmemory_policy:" + facts["maxmemory_policy"],
         "keys vanish silently when memory is short",
         "set `maxmemory-policy noeviction` in Redis; redis.checks = warn allows it", true});
  if (facts["role"] != "master")
    findings.push_back({"role:" + facts["role"], "a replica takes no writes",
                        "name the primary, or its sentinels by redis+sentinel://"});
  if (facts["redis_mode"] == "cluster" && !has_tag(prefix))
    findings.push_back({"redis_mode:cluster", "keys that one script touches must lie in one slot",
                        "give redis.prefix a tag, such as `{fermata}:`"});
  return findings;
}

std::string text_of(const RedisFinding& finding) {
  return "`" + finding.found + "`: " + finding.why + "; " + finding.remedy + ".";
}

}  // namespace fermata
