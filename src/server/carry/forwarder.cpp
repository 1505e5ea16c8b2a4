#include "server/carry/forwarder.h"

#include <algorithm>

#include "base/json.h"
#include "server/api.h"
#include "server/carry/answer_reader.h"
#include "server/carry/carried.h"
#include "server/console/answer.h"
#include "server/console/folder.h"
#include "server/problem.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

using http::Method;

/// Reading is asked for again by us or by anybody without harm.
bool is_safe(const http::Request& request) {
  return request.method == Method::get || request.method == Method::head;
}

http::Response not_now(std::string_view code, std::string_view title, const std::string& detail) {
  http::Response response;
  response.status = 503;
  response.content_type = "application/problem+json";
  response.body =
      to_json(Value::object({{"type", "urn:fermata:error:" + std::string(code)},
                             {"title", title},
                             {"status", 503},
                             {"detail", detail},
                             {"code", code},
                             {"hint", "Ask another server, or repeat after Retry-After."}}));
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::Response nobody_leads(const std::string& last) {
  std::string who = last.empty() ? "No server leads" : "The server that led (" + last + ") is gone";
  return not_now("standby", "No server leads at this moment",
                 who + ", and none has taken over yet. Nothing was done.");
}

/// The leader has the request, or part of it, and its answer will not come.
http::Response lost(bool safe) {
  if (safe)
    return not_now("standby", "The server that leads was lost",
                   "It was lost before it had answered. Nothing was changed.");
  return problem_response({ErrorCode::outcome_unknown,
                           "The server that leads was lost before it had answered: whether it has "
                           "done this is not known.",
                           {}},
                          "");
}

bool stays_here(std::string_view name) {
  for (std::string_view own :
       {"host", "connection", "content-length", "transfer-encoding", "expect", "keep-alive", "te",
        "trailer", "upgrade", "proxy-connection"})
    if (http::equal_ignoring_case(name, own)) return true;
  return false;
}

/// As the leader is to read it. What was parsed holds no line break, so neither does this.
std::string text_of(const http::Request& request) {
  std::string text;
  text.reserve(request.body.size() + 1024);
  text.append(request.method_text).append(" ").append(request.path);
  if (!request.query.empty()) text.append("?").append(request.query);
  text.append(" HTTP/1.1\r\nHost: ").append(request.authority).append("\r\n");
  for (const http::HeaderField& field : request.headers)
    if (!stays_here(field.name))
      text.append(field.name).append(": ").append(field.value).append("\r\n");
  if (!request.body.empty() || !is_safe(request))
    text.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  text.append("Connection: close\r\n\r\n").append(request.body);
  return text;
}

/// Takes the leader's answer to one request and gives it to the client.
class CarriedAnswer final : public PassageEar, public std::enable_shared_from_this<CarriedAnswer> {
 public:
  /// `refused` is told when the leader has not taken the request: it may be sent again.
  CarriedAnswer(http::Responder responder, const http::Request& request,
                std::function<void(const http::Responder&)> refused)
      : responder_(std::move(responder)),
        refused_(std::move(refused)),
        safe_(is_safe(request)),
        reader_(request.method == Method::head) {}

  void begin(std::shared_ptr<Passage> passage, const std::string& text) {
    {
      std::lock_guard lock(mutex_);
      passage_ = passage;
    }
    passage->say(text);
  }

  void heard(std::string bytes) override {
    if (told_) return;
    if (!reader_.feed(bytes)) return give_up();
    untaken_ += bytes.size();
    if (reader_.has_head() && reader_.streams() && !streaming_) begin_stream();
    if (streaming_) {
      if (!stream_.write(reader_.take_body())) return give_up();
      if (stream_.unsent() <= stream_ahead_bytes) take();
    } else {
      take();
    }
    if (reader_.complete()) tell();
  }
  void may_say() override {}
  void over(PassageEnd end) override {
    let_go();
    if (told_) return;
    if (end == PassageEnd::finished && reader_.finish()) return tell();
    if (end != PassageEnd::refused) return give_up();
    told_ = true;
    refused_(responder_);
  }

 private:
  static constexpr size_t stream_ahead_bytes = 64 << 10;

  void begin_stream() {
    streaming_ = true;
    stream_ = responder_.stream(reader_.head());
    stream_.on_drained([self = weak_from_this()] {
      if (auto answer = self.lock()) answer->take();
    });
    stream_.on_gone([self = weak_from_this()] {
      if (auto answer = self.lock()) answer->let_go();
    });
  }
  void tell() {
    told_ = true;
    if (streaming_) return stream_.close();
    http::Response response = reader_.head();
    response.body = reader_.take_body();
    responder_.send(std::move(response));
  }
  void give_up() {
    told_ = true;
    streaming_ ? stream_.close() : responder_.send(lost(safe_));
    let_go();
  }
  /// Any thread: what came is with the client, or nearly.
  void take() {
    std::shared_ptr<Passage> passage;
    {
      std::lock_guard lock(mutex_);
      passage = passage_;
    }
    if (size_t bytes = untaken_.exchange(0); passage && bytes > 0) passage->took(bytes);
  }
  /// Any thread.
  void let_go() {
    std::shared_ptr<Passage> released;
    std::lock_guard lock(mutex_);
    released.swap(passage_);
  }

  const http::Responder responder_;
  const std::function<void(const http::Responder&)> refused_;
  const bool safe_;
  std::mutex mutex_;
  std::shared_ptr<Passage> passage_;
  std::atomic<size_t> untaken_{0};
  // Of the thread that hears.
  AnswerReader reader_;
  http::Stream stream_;
  bool streaming_ = false;
  bool told_ = false;
};

ApiOptions table_options(const ForwarderOptions& options) {
  ApiOptions of_table;
  of_table.demo_echo = options.demo_echo;
  return of_table;
}

}  // namespace

Forwarder::Forwarder(Passages& passages, ForwarderOptions options)
    : passages_(passages),
      options_(std::move(options)),
      routes_(route_table(table_options(options_))),
      router_(routes_) {}

Forwarder::~Forwarder() {
  for (Waiting& one : waiting_) one.responder.send(nobody_leads(leader_));
}

http::Lane Forwarder::classify(http::Request& request) {
  request.route = router_.find(request).route;
  return is_safe(request) ? http::Lane::safe : http::Lane::exclusive;
}

std::optional<http::BodyLimit> Forwarder::body_limit(http::Request& request) {
  const Route* route = router_.find(request).route;
  if (!route || route->body != Body::upload) return std::nullopt;
  return http::BodyLimit{options_.upload_bytes_max, "jobs_artifact_bytes_max"};
}

http::Response Forwarder::refuse(const Error& error) { return problem_response(error, ""); }

void Forwarder::answered(const http::Request&, int status, std::chrono::nanoseconds) {
  ++answered_;
  if (status == 503) ++unavailable_;
}

void Forwarder::handle(const http::Request& request, http::Responder responder) {
  if (auto guarded = guard_origin(request, options_.access); !guarded)
    return responder.send(refuse(guarded.error()));
  if (answers_itself(request, responder)) return;
  carry({&request, std::move(responder), Steady::now() + options_.wait});
}

bool Forwarder::answers_itself(const http::Request& request, const http::Responder& responder) {
  if (request.path == "/healthz" && is_safe(request)) {
    responder.send(json_response(200, Value::object({{"status", "ok"}})));
  } else if (request.path == "/readyz" && is_safe(request)) {
    responder.send(readiness());
  } else if (request.path == "/version" && is_safe(request)) {
    responder.send(
        json_response(200, Value::object({{"name", "fermata"}, {"version", options_.version}})));
  } else if (request.path == "/metrics" && is_safe(request)) {
    http::Response response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics();
    responder.send(std::move(response));
  } else if (!request.route) {
    auto page = options_.console_dir.empty() ? console_answer(request, ConsoleFiles::bundled())
                                             : folder_answer(request, options_.console_dir);
    if (!page) return false;
    responder.send(*std::move(page));
  } else {
    return false;
  }
  return true;
}

http::Response Forwarder::readiness() {
  if (std::string why = options_.unfit ? options_.unfit() : ""; !why.empty())
    return clock_refusal(why);
  std::lock_guard lock(mutex_);
  if (leads_)
    return not_now("standby", "This server takes over", "It leads, and is still recovering.");
  if (!serving_) return nobody_leads(leader_);
  return json_response(
      200, Value::object({{"status", "ready"}, {"role", "follower"}, {"leader", leader_}}));
}

std::string Forwarder::metrics() const {
  Passages::Counts counts = leads_ ? Passages::Counts{} : passages_.counts();
  std::string out;
  auto add = [&](const char* name, const char* kind, const char* help, uint64_t value) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
    out.append(" ").append(kind).append("\n").append(name).append(" ");
    out.append(std::to_string(value)).append("\n");
  };
  add("fermata_leads", "gauge", "1 where this server leads.", 0);
  add("fermata_requests_answered_total", "counter", "Requests answered, carried or not.",
      answered_);
  add("fermata_requests_unavailable_total", "counter", "Requests answered with 503.", unavailable_);
  add("fermata_passages_open", "gauge", "Requests under way to or from another server.",
      counts.open);
  add("fermata_passages_total", "counter", "Requests carried between servers.", counts.calls);
  add("fermata_passages_refused_total", "counter", "Requests for which there was no room.",
      counts.refused);
  add("fermata_passages_broken_total", "counter", "Requests that were not carried to their end.",
      counts.broken);
  add("fermata_passage_bytes_total", "counter", "Bytes carried, both ways.", counts.bytes);
  return out;
}

/// A request that the leader refuses, as it does when it stops, waits for the next one.
void Forwarder::carry(Waiting one) {
  if (leads_) return keep(std::move(one));
  auto refused = [this, request = one.request, until = one.until](
                     const http::Responder& responder) { keep({request, responder, until}); };
  auto answer = std::make_shared<CarriedAnswer>(one.responder, *one.request, std::move(refused));
  auto passage = passages_.call(
      options_.from_anywhere ? carried_from_anywhere : carried_from_loopback, answer);
  if (passage) return answer->begin(*std::move(passage), text_of(*one.request));
  if (passage.error().code != ErrorCode::store_unavailable)
    return one.responder.send(refuse(passage.error()));
  keep(std::move(one));
}

void Forwarder::keep(Waiting one) {
  Taker later;
  {
    std::lock_guard lock(mutex_);
    if (!later_ && !gave_up_) return waiting_.push_back(std::move(one));
    later = later_;
  }
  if (later) return later(*one.request, std::move(one.responder));
  one.responder.send(nobody_leads(""));
}

void Forwarder::give_up() {
  std::vector<Waiting> all;
  {
    std::lock_guard lock(mutex_);
    gave_up_ = true;
    all.swap(waiting_);
  }
  for (Waiting& one : all) one.responder.send(nobody_leads(""));
}

void Forwarder::leader_is(const std::string& name, bool serving) {
  std::vector<Waiting> all;
  {
    std::lock_guard lock(mutex_);
    leader_ = name;
    serving_ = serving;
    all.swap(waiting_);
  }
  std::vector<Waiting> still;
  for (Waiting& one : all) {
    if (Steady::now() >= one.until) {
      one.responder.send(nobody_leads(name));
    } else if (serving) {
      carry(std::move(one));
    } else {
      still.push_back(std::move(one));
    }
  }
  if (still.empty()) return;
  std::lock_guard lock(mutex_);
  waiting_.insert(waiting_.begin(), std::make_move_iterator(still.begin()),
                  std::make_move_iterator(still.end()));
}

void Forwarder::begins_to_lead() {
  std::lock_guard lock(mutex_);
  leads_ = true;
  serving_ = false;
}

void Forwarder::hand_over(const Taker& taker, Taker later) {
  std::vector<Waiting> all;
  {
    std::lock_guard lock(mutex_);
    later_ = std::move(later);
    all.swap(waiting_);
  }
  for (Waiting& one : all) taker(*one.request, std::move(one.responder));
}

http::Lane HandlerSwitch::classify(http::Request& request) {
  http::Handler* handler = now_;
  request.classified_by = handler;
  return handler->classify(request);
}

/// A request that was complete before the turn, and begins after it, has another's route.
void HandlerSwitch::handle(const http::Request& request, http::Responder responder) {
  http::Handler* handler = now_;
  if (request.classified_by != handler) {
    auto& own = const_cast<http::Request&>(request);  // an Exchange's, which is not const
    own.classified_by = handler;
    handler->classify(own);
  }
  handler->handle(request, std::move(responder));
}

std::optional<http::BodyLimit> HandlerSwitch::body_limit(http::Request& request) {
  return now_.load()->body_limit(request);
}

http::Response HandlerSwitch::refuse(const Error& error) { return now_.load()->refuse(error); }

void HandlerSwitch::answered(const http::Request& request, int status,
                             std::chrono::nanoseconds took) {
  http::Handler* handler = now_;
  if (request.classified_by == handler) handler->answered(request, status, took);
}

}  // namespace fermata::server
