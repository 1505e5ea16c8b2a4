#include "server/api.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/json.h"
#include "base/uuid.h"
#include "front/flow_text.h"
#include "server/console/answer.h"
#include "server/console/folder.h"
#include "server/look_back.h"
#include "server/problem.h"
#include "server/routes/idempotency.h"
#include "server/routes/table.h"
#include "server/wait_sweep.h"

namespace fermata::server {
namespace {

constexpr size_t idempotency_key_bytes_max = 255;
/// Of any other parameter nobody could say which of two was meant.
constexpr std::string_view repeatable_parameter = "status";

Role role_for(Access access) {
  switch (access) {
    case Access::open:
    case Access::viewer: return Role::viewer;
    case Access::operator_: return Role::operator_;
    case Access::editor: return Role::editor;
    case Access::admin: return Role::admin;
    case Access::worker: return Role::worker;
    case Access::root: break;
  }
  return Role::root;
}

bool list_has(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_json_type(std::string_view type) {
  type = type.substr(0, std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return http::equal_ignoring_case(type, "application/json") ||
         (type.size() > 5 && http::equal_ignoring_case(type.substr(type.size() - 5), "+json"));
}

void set_header(http::Response& response, std::string_view name, std::string value) {
  for (auto& header : response.headers)
    if (header.first == name) {
      header.second = std::move(value);
      return;
    }
  response.headers.emplace_back(name, std::move(value));
}

/// Worth a line of the log each time. Being full, busy or about to stop are states: they are told
/// where they begin and counted.
bool is_surprise(ErrorCode code) {
  return http_status_of(code) >= 500 && code != ErrorCode::store_unavailable &&
         code != ErrorCode::queue_full && code != ErrorCode::shutting_down;
}

std::vector<std::pair<std::string, Value>> log_fields(const Call& call, const Error& error,
                                                      const std::string& instance) {
  std::vector<std::pair<std::string, Value>> fields = {{"code", name_of(error.code)},
                                                       {"instance", instance},
                                                       {"reason", error.message},
                                                       {"method", call.request.method_text},
                                                       {"route", call.route.path}};
  if (call.request.trace.exists()) fields.emplace_back("trace_id", call.request.trace.trace_id);
  return fields;
}

/// A key that is empty, long or unprintable is more likely a mistake than an intention.
Outcome<void> check_idempotency_key(const http::Request& request) {
  if (!request.has_header("idempotency-key")) return {};
  std::string_view key = request.header("idempotency-key");
  bool printable =
      std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (key.empty() || key.size() > idempotency_key_bytes_max || !printable)
    return fail(ErrorCode::bad_request,
                "Idempotency-Key must be 1 to 255 printable ASCII characters.");
  return {};
}

}  // namespace

void Call::send_json(int status, const Value& value) const { send(json_response(status, value)); }

Api::Api(ApiParts parts, ApiOptions options)
    : parts_(parts),
      options_(std::move(options)),
      routes_(route_table(options_)),
      router_(routes_),
      openapi_(openapi_of(routes_, options_.version)),
      started_at_(std::chrono::steady_clock::now()),
      keys_(parts.catalog),
      sessions_(parts.catalog),
      rates_(options_.rate_limit),
      metrics_(routes_),
      tracing_(options_.telemetry, options_.trace_share,
               [this] {
                 std::lock_guard lock(entropy_mutex_);
                 return parts_.entropy.next();
               }),
      pool_(options_.work_threads, options_.work_queue_max) {
  epoch_ = new_uuid_v4().substr(0, 8);
  parts_.hub.measures().begin(now());
  parts_.hub.agenda().begin_reading();
  parts_.hub.whereabouts().begin_reading();
  parts_.hub.policy_hits().begin(now());
  parts_.hub.wait_metrics().name_accounts(options_.metrics_accounts_max);
}

Outcome<void> Api::recover() {
  FERMATA_TRY_VOID(bulk_.recover());
  overdue_alerts_.start();
  look_back(*this);
  return resume_sweeps(*this);
}

Api::~Api() {
  stopping_ = true;
  // What they call uses the pool, which goes first.
  deadlines_.stop();
}

std::string Api::new_uuid_v7() {
  std::lock_guard lock(entropy_mutex_);
  uint64_t high = parts_.entropy.next();
  return uuid_v7(now(), high, parts_.entropy.next());
}

std::string Api::new_uuid_v4() {
  std::lock_guard lock(entropy_mutex_);
  uint64_t high = parts_.entropy.next();
  return uuid_v4(high, parts_.entropy.next());
}

http::Lane Api::classify(http::Request& request) {
  Router::Match match = router_.find(request);
  request.route = match.route;
  tracing_.begin(request, match.route);
  if (!match.route) return http::Lane::exclusive;
  bool reads = request.method == http::Method::get || request.method == http::Method::head;
  if (reads) return http::Lane::safe;
  return match.route->work == Work::command ? http::Lane::queued : http::Lane::exclusive;
}

std::optional<http::BodyLimit> Api::body_limit(http::Request& request) {
  const Route* route = router_.find(request).route;
  if (!route || route->body != Body::upload) return std::nullopt;
  return http::BodyLimit{options_.job_limits.report.artifact_bytes_max, "jobs_artifact_bytes_max"};
}

http::Response Api::refuse(const Error& error) {
  return problem_response(error, "urn:uuid:" + new_uuid_v7());
}

void Api::answered(const http::Request& request, int status, std::chrono::nanoseconds took) {
  metrics_.answered(static_cast<const Route*>(request.route), status, took);
  tracing_.end(request, status, took, now());
}

std::optional<http::Response> Api::console_for(const http::Request& request) const {
  if (!options_.console_dir.empty()) return folder_answer(request, options_.console_dir);
  return console_answer(request, ConsoleFiles::bundled());
}

std::string Api::console_tag() const {
  if (!options_.console_dir.empty()) return folder_tag(options_.console_dir);
  const ConsoleFile* page = ConsoleFiles::bundled().find("/index.html");
  return page ? std::string(page->etag) : std::string();
}

void Api::fail(const Call& call, const Error& error) {
  std::string instance = "urn:uuid:" + new_uuid_v7();
  if (is_surprise(error.code) && options_.log)
    options_.log({std::string(title_of(error.code)), log_fields(call, error, instance)});
  Value document = problem_value(error, instance);
  bool conflicts = error.code == ErrorCode::version_conflict;
  if (conflicts) document.set("status", call.route.version_conflict);
  http::Response response = problem_document(error, document);
  if (conflicts) response.status = call.route.version_conflict;
  call.send(std::move(response));
}

AuditLine Api::audit(const Call& call, std::string action, std::string subject,
                     std::string reason) const {
  AuditLine line;
  line.account = call.who.account;
  line.at = now();
  line.actor = call.who.actor;
  line.action = std::move(action);
  line.subject = std::move(subject);
  line.reason = std::move(reason);
  return line;
}

http::Response Api::not_found(const http::Request& request) {
  http::Request probe;
  probe.path = request.path;
  probe.method = request.method;
  Router::Match match = router_.find(probe);
  if (match.malformed)
    return refuse({ErrorCode::bad_request, "The path holds a broken percent escape.", {}});
  if (request.path == "*") {
    // OPTIONS * asks about the server itself.
    http::Response response;
    response.status = 204;
    response.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    return response;
  }
  if (match.allow.empty())
    return refuse(
        {ErrorCode::route_not_found, "There is no route " + std::string(request.path) + ".", {}});
  if (request.method == http::Method::options) {
    http::Response response;
    response.status = 204;
    response.headers.emplace_back("Allow", match.allow + ", OPTIONS");
    return response;
  }
  http::Response response =
      refuse({ErrorCode::method_not_allowed,
              std::string(request.method_text) + " is not one of " + match.allow + ".",
              {}});
  response.headers.emplace_back("Allow", match.allow + ", OPTIONS");
  return response;
}

void Api::handle(const http::Request& request, http::Responder responder) {
  if (auto guarded = guard_origin(request, options_.access); !guarded)
    return responder.send(refuse(guarded.error()));
  const auto* route = static_cast<const Route*>(request.route);
  if (!route) {
    auto page = console_for(request);
    return responder.send(page ? *std::move(page) : not_found(request));
  }
  dispatch({request, *route, std::move(responder), {}, {}, {}});
}

void Api::dispatch(Call call) {
  if (auto refusal = guard(call)) return call.send(*std::move(refusal));
  // What may have been answered before is looked up.
  bool looks_up = call.route.remembers && !call.request.header("idempotency-key").empty();
  if (call.route.work != Work::blocking && !looks_up) return run(std::move(call));
  http::Responder spare = call.responder;
  bool queued = pool_.submit([this, moved = std::move(call)]() mutable { run(std::move(moved)); });
  if (!queued)
    spare.send(
        refuse({ErrorCode::queue_full, "More than http_work_queue_max requests are waiting.", {}}));
}

/// Everything about a request that can be wrong before its handler looks at it.
std::optional<http::Response> Api::guard(Call& call) {
  if (call.route.access != Access::open)
    if (auto refusal = guard_account(call)) return refusal;
  if (auto checked = check_idempotency_key(call.request); !checked) return refuse(checked.error());
  if (auto read = read_query(call); !read) return refuse(read.error());
  return std::nullopt;
}

std::optional<http::Response> Api::guard_account(Call& call) {
  auto who = Sessions::presented(call.request)
                 ? sessions_.authenticate(call.request, now(), std::chrono::steady_clock::now())
                 : authenticate(call.request, options_.access, keys_, now());
  if (!who) {
    if (who.error().code == ErrorCode::unauthorized) ++metrics_.unauthorized;
    return refuse(who.error());
  }
  call.who = *std::move(who);
  if (auto wait_s = rates_.refuse(call.who.account, std::chrono::steady_clock::now())) {
    ++metrics_.rate_limited;
    http::Response response =
        refuse({ErrorCode::rate_limited,
                "The account's rate limit is reached (rate_limit_per_second).",
                {}});
    set_header(response, "Retry-After", std::to_string(*wait_s));
    return response;
  }
  Role needed = role_for(call.route.access);
  if (role_allows(call.who.role, needed)) return std::nullopt;
  return refuse({ErrorCode::forbidden,
                 "The role " + std::string(name_of(needed)) + " is needed; this key has " +
                     std::string(name_of(call.who.role)) + ".",
                 {}});
}

Outcome<void> Api::read_query(Call& call) const {
  if (call.request.query.empty()) return {};
  if (!http::parse_query(call.request.query, call.query))
    return fermata::fail(ErrorCode::bad_request, "The query holds a broken percent escape.");
  if (call.route.query == "*") return {};
  std::vector<Finding> findings;
  std::set<std::string_view> seen;
  for (const auto& [name, value] : call.query) {
    if (!list_has(call.route.query, name)) {
      findings.push_back({"invalid_query", name, "This parameter is not known here.", {}});
    } else if (!seen.insert(name).second && name != repeatable_parameter) {
      findings.push_back({"invalid_query", name, "This parameter is given twice.", {}});
    }
  }
  if (findings.empty()) return {};
  std::string message = "`" + findings[0].path + "`: " + findings[0].message;
  return fermata::fail(ErrorCode::invalid_query, std::move(message), std::move(findings));
}

Outcome<void> Api::read_body(Call& call) const {
  if (call.route.body == Body::none || call.route.body == Body::raw ||
      call.route.body == Body::upload)
    return {};
  std::string_view type = call.request.header("content-type");
  bool takes_flow = call.route.body == Body::definition;
  if (takes_flow && front::is_flow_type(type)) return {};
  if (call.request.body.empty()) {
    if (call.route.body == Body::json_optional) return {};
    return fermata::fail(ErrorCode::bad_json, "A JSON body is needed.");
  }
  std::string_view coding = call.request.header("content-encoding");
  if (!coding.empty() && !http::equal_ignoring_case(coding, "identity"))
    return fermata::fail(ErrorCode::unsupported_media_type,
                         "The body is encoded as `" + std::string(coding) + "`; send it as it is.");
  if (!type.empty() && !is_json_type(type))
    return fermata::fail(ErrorCode::unsupported_media_type,
                         "The body is `" + std::string(type) + "`; application/json" +
                             (takes_flow ? " or text/x-flow" : "") + " is needed.");
  FERMATA_TRY(body, parse_json(call.request.body, {.nesting_max = options_.json_nesting_max}));
  // To the handlers null means that nothing was sent; whoever sends it has something else in mind.
  if (body.is_null())
    return fermata::fail(ErrorCode::invalid_field, "The body is null; send an object, or nothing.",
                         {{"invalid_field", "", "An object is expected here.", {}}});
  call.body = std::move(body);
  return {};
}

void Api::run(Call call) {
  if (auto read = read_body(call); !read) return fail(call, read.error());
  if (call.route.remembers && routes::answer_remembered(*this, call)) return;
  call.route.handler(*this, std::move(call));
}

}  // namespace fermata::server
