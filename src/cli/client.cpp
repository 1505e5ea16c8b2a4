#include "cli/client.h"

#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/uuid.h"
#include "cli/remote.h"

namespace fermata::cli {
namespace {

constexpr int silence_seconds_max = 120;

ErrorCode code_named(std::string_view name, int status) {
#define FERMATA_ERROR(code, http_status, title, hint) \
  if (name == #code) return ErrorCode::code;
#include "base/errors.def"
#undef FERMATA_ERROR
  if (status == 404) return ErrorCode::route_not_found;
  return status >= 500 ? ErrorCode::io_failed : ErrorCode::bad_request;
}

/// A problem document as the error it was made from.
Error error_of(const HttpAnswer& answer) {
  Outcome<Value> problem = parse_json(answer.body);
  Value document = problem ? *problem : Value();
  Error error{
      code_named(text_at(document, "code"), answer.status), text_at(document, "detail"), {}};
  if (error.message.empty())
    error.message = "The server answered " + std::to_string(answer.status) + ".";
  const Value& findings = document.get("errors");
  if (!findings.is_array()) return error;
  for (const Value& each : findings.items())
    error.findings.push_back({text_at(each, "code"),
                              text_at(each, "path"),
                              text_at(each, "message"),
                              {},
                              static_cast<int>(number_at(each, "line")),
                              static_cast<int>(number_at(each, "column"))});
  return error;
}

}  // namespace

Option server_option() {
  return {"server", "URL", "the server; else FERMATA_SERVER, else http://127.0.0.1:4747"};
}

std::string url_escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    if (std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      out += static_cast<char>(c);
    } else {
      out += {'%', digits[c >> 4], digits[c & 15]};
    }
  }
  return out;
}

Outcome<Client> Client::from(const Arguments& arguments, const Surroundings& around) {
  std::string server = arguments.get("server").value_or(around.variable("FERMATA_SERVER"));
  Client client;
  if (!server.empty()) {
    FERMATA_TRY(address, parse_server_address(server));
    client.address_ = std::move(address);
  }
  client.key_ = around.variable("FERMATA_KEY");
  if (client.key_.find_first_of("\r\n") != std::string::npos)
    return fail(ErrorCode::usage, "FERMATA_KEY has more than one line.");
  return client;
}

Outcome<HttpAnswer> Client::call(HttpRequest request, int silence_seconds,
                                 const BodySink& sink) const {
  if (!key_.empty()) request.headers.emplace_back("Authorization", "Bearer " + key_);
  request.target = "/api/v1" + request.target;
  FERMATA_TRY(channel, open_channel(address_, silence_seconds));
  FERMATA_TRY(answer, exchange(*channel, address_, request, sink));
  if (answer.status >= 400) return Failure{error_of(answer)};
  return std::move(answer);
}

namespace {

Outcome<Value> value_of(const Outcome<HttpAnswer>& answer) {
  if (!answer) return Failure{answer.error()};
  if (answer->body.empty()) return Value();
  return parse_json(answer->body, {.nesting_max = json_nesting_ceiling});
}

std::string fresh_key() {
  // Only has to differ from other keys of the last day.
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  auto nanoseconds =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return uuid_v5("cli " + std::to_string(nanoseconds) + " " + std::to_string(getpid()));
}

}  // namespace

Outcome<Value> Client::get(const std::string& path) const {
  return value_of(call({"GET", path, {}, ""}, silence_seconds_max, {}));
}

Outcome<Value> Client::post(const std::string& path, const Value& body) const {
  HttpRequest request{"POST", path, {}, to_json(body)};
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Idempotency-Key", fresh_key());
  return value_of(call(std::move(request), silence_seconds_max, {}));
}

Outcome<Value> Client::put(const std::string& path, const std::string& text,
                           const std::string& content_type) const {
  HttpRequest request{"PUT", path, {}, text};
  request.headers.emplace_back("Content-Type", content_type);
  return value_of(call(std::move(request), silence_seconds_max, {}));
}

Outcome<void> Client::remove(const std::string& path) const {
  FERMATA_TRY(answer, call({"DELETE", path, {}, ""}, silence_seconds_max, {}));
  return {};
}

Outcome<void> Client::stream(const std::string& path, const std::string& last_id,
                             const std::function<bool(const StreamEvent&)>& on_event) const {
  HttpRequest request{"GET", path, {{"Accept", "text/event-stream"}}, ""};
  if (!last_id.empty()) request.headers.emplace_back("Last-Event-ID", last_id);
  EventReader reader;
  FERMATA_TRY(answer, call(std::move(request), silence_seconds_max,
                           [&](std::string_view piece) { return reader.feed(piece, on_event); }));
  return {};
}

bool EventReader::feed(std::string_view piece,
                       const std::function<bool(const Client::StreamEvent&)>& on_event) {
  for (char c : piece) {
    if (c != '\n') {
      if (c != '\r') line_ += c;
      continue;
    }
    std::string line = std::exchange(line_, {});
    if (line.empty()) {
      if (data_.empty() && event_.event.empty()) continue;
      Outcome<Value> data = parse_json(data_, {.nesting_max = json_nesting_ceiling});
      event_.data = data ? *data : Value(data_);
      Client::StreamEvent whole = std::exchange(event_, {});
      data_.clear();
      if (!on_event(whole)) return false;
      continue;
    }
    size_t colon = line.find(':');
    std::string field = line.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (field == "event") event_.event = value;
    if (field == "id") event_.id = value;
    if (field == "data") data_ += (data_.empty() ? "" : "\n") + value;
  }
  return true;
}

}  // namespace fermata::cli
