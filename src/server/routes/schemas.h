#pragma once
#include <string_view>

/// JSON Schemas of bodies and answers, quoted by the route table and shown in /openapi.json.
namespace fermata::server {

inline constexpr std::string_view deactivate_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "on_waits":{"enum":["cancel","hold","keep"]},"reason":{"type":"string"}}})";
constexpr std::string_view status_schema =
    R"({"type":"object","required":["status"],"properties":{"status":{"type":"string"}}})";

inline constexpr std::string_view page_schema =
    R"({"type":"object","required":["items","next_cursor"],"properties":{
      "items":{"type":"array","items":{"type":"object"}},
      "next_cursor":{"type":["string","null"]},"total":{"type":"integer"}}})";

inline constexpr std::string_view definition_schema =
    R"({"oneOf":[{"type":"object","required":["nodes","edges"],"properties":{
      "nodes":{"type":"array","items":{"type":"object","required":["id","type"]}},
      "edges":{"type":"array","items":{"type":"object","required":["id","src","dst"]}},
      "entry":{"type":"string"},"result":{},"timeout_ms":{"type":"integer","minimum":0}}},
      {"type":"object","required":["language","source"],"additionalProperties":false,
      "properties":{"language":{"const":"flow"},"source":{"type":"string"}}}]})";

inline constexpr std::string_view check_schema =
    R"({"type":"object","required":["valid","errors","warnings"],"properties":{
      "valid":{"type":"boolean"},"hash":{"type":"string"},
      "errors":{"type":"array"},"warnings":{"type":"array"}}})";

inline constexpr std::string_view overview_schema =
    R"({"type":"object","required":["version","executions","waits","dead_letters","lateness",
      "failures","measured_since"],"properties":{"version":{"type":"string"},
      "executions":{"type":"object"},"waits":{"type":"object"},"dead_letters":{"type":"integer"},
      "measured_since":{"type":"string"},"lateness":{"type":"object","properties":{
      "count":{"type":"integer"},"p50_ms":{"type":["integer","null"]},
      "p99_ms":{"type":["integer","null"]}}},"failures":{"type":"array","items":{"type":"object",
      "required":["workflow_id","node","code","count"]}},
      "rates":{"type":["object","null"],"properties":{"step_ms":{"type":"integer"},
      "steps":{"type":"array"}}}}})";

inline constexpr std::string_view workflow_schema =
    R"({"type":"object","required":["id","active","version","hash"],"properties":{
      "id":{"type":"string"},"active":{"type":"boolean"},"version":{"type":"integer"},
      "latest_version":{"type":"integer"},"hash":{"type":"string"},
      "language":{"enum":["graph","flow"]},
      "webhook_guid":{"type":"string"},"warnings":{"type":"array"}}})";

inline constexpr std::string_view preview_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "cron":{"type":"string"},"every_ms":{"type":"integer","minimum":1000},
      "timezone":{"type":"string"},"gap_policy":{"enum":["gap_end","shift"]},
      "start_at":{"type":"string","format":"date-time"},
      "end_at":{"type":"string","format":"date-time"},
      "from":{"type":"string","format":"date-time"},
      "n":{"type":"integer","minimum":1,"maximum":1000}}})";

inline constexpr std::string_view previewed_schema =
    R"({"type":"object","required":["timezone","tzdata","next"],"properties":{
      "timezone":{"type":"string"},"tzdata":{"type":"string"},
      "next":{"type":"array","items":{"type":"object","required":["at","local","zone"]}}}})";

inline constexpr std::string_view sign_in_schema =
    R"({"type":"object","required":["key"],"additionalProperties":false,
      "properties":{"key":{"type":"string"}}})";

inline constexpr std::string_view session_schema =
    R"({"type":"object","required":["account_id","role","actor","access","version","now"],
      "properties":{"account_id":{"type":"string"},"role":{"type":"string"},
      "actor":{"type":"string"},"access":{"enum":["keys","local","insecure"]},
      "version":{"type":"string"},"console":{"type":["string","null"]},"now":{"type":"string"},
      "virtual_clock":{"type":"boolean"},"csrf":{"type":["string","null"]}}})";

inline constexpr std::string_view rollback_schema =
    R"({"type":"object","required":["version"],"additionalProperties":false,
      "properties":{"version":{"type":"integer","minimum":1}}})";

inline constexpr std::string_view start_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "input":{},"version":{"type":"integer","minimum":1},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "contact_id":{"type":"string"},"start_at":{"type":"string","format":"date-time"},
      "timeout_ms":{"type":"integer","minimum":0},
      "on_failure":{"enum":["keep","rollback"]}}})";

inline constexpr std::string_view started_schema =
    R"({"type":"object","required":["id","status"],"properties":{
      "id":{"type":"string"},"status":{"type":"string"},
      "workflow_id":{"type":"string"},"version":{"type":"integer"}}})";

inline constexpr std::string_view execution_schema =
    R"({"type":"object","required":["id","workflow_id","version","status"],"properties":{
      "id":{"type":"string"},"workflow_id":{"type":"string"},"version":{"type":"integer"},
      "hash":{"type":"string"},"account_id":{"type":"string"},"status":{"enum":["running",
      "waiting","paused","completed","failed","cancelled","timed_out"]},"input":{},"output":{},
      "error":{"type":["object","null"]},"labels":{"type":["object","null"]},
      "started_at":{"type":"string"},"completed_at":{"type":["string","null"]},
      "waiting":{"type":"array"},"progress":{"type":"object"}}})";

inline constexpr std::string_view reason_schema =
    R"({"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string"}}})";

inline constexpr std::string_view cancel_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "reason":{"type":"string"},"force":{"type":"boolean"},
      "rollback":{"type":"boolean"}}})";

inline constexpr std::string_view signal_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "payload":{},"id":{"type":"string"}}})";

inline constexpr std::string_view migrate_schema =
    R"({"type":"object","required":["version"],"additionalProperties":false,"properties":{
      "version":{"type":"integer","minimum":1},"map":{"type":"object"},
      "dry_run":{"type":"boolean"}}})";

inline constexpr std::string_view retry_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "version":{"type":"integer","minimum":1},"map":{"type":"object",
      "additionalProperties":{"type":"string"}},"dry_run":{"type":"boolean"}}})";

inline constexpr std::string_view rerun_schema =
    R"({"type":"object","additionalProperties":false,
      "properties":{"from_node":{"type":"string"}}})";

inline constexpr std::string_view fork_schema =
    R"({"type":"object","required":["at_sequence"],"additionalProperties":false,"properties":{
      "at_sequence":{"type":"integer","minimum":1},"changes":{"type":"object"}}})";

inline constexpr std::string_view bulk_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "action":{"enum":["cancel","pause","resume","retry","rerun","migrate","signal"]},
      "filter":{"type":"object"},"ids":{"type":"array","items":{"type":"string"}},
      "all":{"type":"boolean"},"reason":{"type":"string"},"dry_run":{"type":"boolean"},
      "token":{"type":"string"},"per_second":{"type":"integer","minimum":1},
      "per_minute":{"type":"integer","minimum":1},
      "version":{"type":"integer","minimum":1},"map":{"type":"object"},
      "from_node":{"type":"string"},"name":{"type":"string"},"payload":{}}})";

inline constexpr std::string_view bulk_begun_schema =
    R"({"type":"object","required":["bulk_id"],"properties":{"bulk_id":{"type":"string"},
      "state":{"type":"string"},"matched":{"type":"integer"}}})";

inline constexpr std::string_view bulk_operation_schema =
    R"({"type":"object","required":["id","kind","action","state","matched","processed","done",
      "refused","failed"],"properties":{"id":{"type":"string"},"kind":{"type":"string"},
      "action":{"type":"string"},"state":{"enum":["running","done","stopped"]},
      "matched":{"type":"integer"},"processed":{"type":"integer"},"done":{"type":"integer"},
      "refused":{"type":"integer"},"failed":{"type":"integer"},"problems":{"type":"array"}}})";

inline constexpr std::string_view key_schema =
    R"({"type":"object","required":["role"],"additionalProperties":false,"properties":{
      "name":{"type":"string"},"role":{"enum":["viewer","operator","editor","admin","root",
      "worker"]},"expires_at":{"type":"string","format":"date-time"}}})";

inline constexpr std::string_view credential_put_schema =
    R"({"type":"object","additionalProperties":false,"properties":{
      "id":{"type":"string"},"name":{"type":"string"},"type":{"enum":["token","basic_auth",
      "header","api_key","oauth2","query","hmac_sha256","smtp","custom"]},
      "values":{"type":"object","writeOnly":true}}})";

inline constexpr std::string_view credential_schema =
    R"({"type":"object","required":["id","name","type","revision"],"properties":{
      "id":{"type":"string"},"name":{"type":"string"},"type":{"type":"string"},
      "revision":{"type":"integer"},"created_at":{"type":"string"},"updated_at":{"type":"string"},
      "last_used_at":{"type":["string","null"]},"revoked_at":{"type":["string","null"]}}})";

inline constexpr std::string_view resealed_schema =
    R"({"type":"object","required":["resealed","kept","unreadable"],"properties":{
      "resealed":{"type":"integer"},"kept":{"type":"integer"},
      "unreadable":{"type":"array","items":{"type":"string"}}}})";

inline constexpr std::string_view clock_schema =
    R"({"type":"object","required":["now"],"additionalProperties":false,
      "properties":{"now":{"type":"string","format":"date-time"}}})";

inline constexpr std::string_view alarm_schema =
    R"({"type":"object","required":["enabled"],"additionalProperties":false,
      "properties":{"enabled":{"type":"boolean"}}})";

inline constexpr std::string_view advance_schema =
    R"({"type":"object","required":["ms"],"additionalProperties":false,
      "properties":{"ms":{"type":"integer","minimum":0}}})";

}  // namespace fermata::server
