#include "adapters/http/http_calls.h"

#include <curl/curl.h>
#include <signal.h>

#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "adapters/http/fair_queue.h"
#include "adapters/http/mail_post.h"
#include "adapters/http/transfer.h"

namespace fermata {
namespace {

using http::FairQueue;
using http::Transfer;

constexpr int poll_ms_max = 10'000;
constexpr long idle_connections_max = 256;

/// The library's global state is set up once and left to the end of the process.
void ensure_library() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  check(ready);
}

/// Signals are for the host's threads; and a peer that hangs up must not end the process.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

/// Submitting threads leave commands in an inbox; the thread of the engine owns everything that
/// touches the library, and leaves answers in an outbox.
class HttpCalls::Engine {
 public:
  explicit Engine(HttpCallsOptions options);
  ~Engine();

  void submit(const CallTicket& ticket, CallRequest request);
  void abandon(const CallTicket& ticket);
  std::vector<CallAnswer> harvest();
  bool holds(const CallTicket& ticket) const;
  size_t in_flight() const;

 private:
  struct Command {
    uint64_t number;
    std::unique_ptr<Transfer> transfer;  ///< nullptr to abandon that number
  };
  struct Answered {
    uint64_t number;
    CallAnswer answer;
  };

  // Of any thread.
  void send(Command command, std::unique_lock<std::mutex>& lock);
  void publish(std::vector<Answered> answers);

  // Of the engine's thread.
  void run();
  bool take_commands();
  void drop(uint64_t number);
  void start_waiting();
  bool supply(Transfer& transfer) const;
  void launch(Transfer& transfer);
  bool collect();
  void end(Transfer& transfer);
  CURL* take_handle();
  void close();

  const HttpCallsOptions options_;
  CURLM* const multi_;

  mutable std::mutex mutex_;  ///< guards down to the next blank line
  std::vector<Command> inbox_;
  std::vector<Answered> outbox_;
  std::map<CallTicket, uint64_t> held_;
  uint64_t last_number_ = 0;
  bool stopping_ = false;

  // Of the engine's thread only.
  FairQueue queue_;
  std::unordered_map<uint64_t, std::unique_ptr<Transfer>> transfers_;
  std::vector<CURL*> idle_handles_;
  std::vector<Answered> finished_;
  curl_slist* resolve_ = nullptr;

  std::unique_ptr<http::MailPost> post_;
  std::thread thread_;
};

HttpCalls::Engine::Engine(HttpCallsOptions options)
    : options_(std::move(options)),
      multi_((ensure_library(), curl_multi_init())),
      queue_({options_.in_flight_per_account_max, options_.in_flight_max}) {
  check(multi_ != nullptr);
  check(options_.in_flight_per_account_max > 0 && options_.in_flight_max > 0);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, idle_connections_max);
  for (const std::string& entry : options_.resolve)
    resolve_ = curl_slist_append(resolve_, entry.c_str());
  post_ = std::make_unique<http::MailPost>(http::MailPost::Options{
      {options_.mails_per_account_max, options_.mails_max},
      &options_.policy,
      resolve_,
      [this](Transfer& transfer) { return supply(transfer); },
      [this](uint64_t number, CallAnswer answer) { publish({{number, std::move(answer)}}); }});
  thread_ = std::thread([this] { run(); });
}

HttpCalls::Engine::~Engine() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  post_.reset();
  // Not before: the wake-up above needs it.
  curl_multi_cleanup(multi_);
  curl_slist_free_all(resolve_);
}

void HttpCalls::Engine::submit(const CallTicket& ticket, CallRequest request) {
  if (holds(ticket)) return;
  const bool is_mail = request.mail.has_value();
  auto transfer = http::make_transfer(ticket, std::move(request));
  std::unique_lock lock(mutex_);
  if (!held_.try_emplace(ticket, last_number_ + 1).second) return;
  if (held_.size() > options_.held_max)
    transfer->refuse("network", "Too many calls are waiting: the limit is " +
                                    std::to_string(options_.held_max) + ".");
  transfer->number = ++last_number_;
  if (is_mail) {
    lock.unlock();
    return post_->submit(std::move(transfer));
  }
  send({last_number_, std::move(transfer)}, lock);
}

void HttpCalls::Engine::abandon(const CallTicket& ticket) {
  std::unique_lock lock(mutex_);
  const auto at = held_.find(ticket);
  if (at == held_.end()) return;
  const uint64_t number = at->second;
  held_.erase(at);
  send({number, nullptr}, lock);
  post_->drop(number);
}

/// One wake-up is enough for all commands that come before the engine looks.
void HttpCalls::Engine::send(Command command, std::unique_lock<std::mutex>& lock) {
  const bool was_empty = inbox_.empty();
  inbox_.push_back(std::move(command));
  lock.unlock();
  if (was_empty) curl_multi_wakeup(multi_);
}

std::vector<CallAnswer> HttpCalls::Engine::harvest() {
  std::vector<CallAnswer> answers;
  std::lock_guard lock(mutex_);
  for (Answered& answered : outbox_) {
    // Abandoned meanwhile, perhaps even submitted anew: then its number is another.
    const auto at = held_.find(answered.answer.ticket);
    if (at == held_.end() || at->second != answered.number) continue;
    held_.erase(at);
    answers.push_back(std::move(answered.answer));
  }
  outbox_.clear();
  return answers;
}

bool HttpCalls::Engine::holds(const CallTicket& ticket) const {
  std::lock_guard lock(mutex_);
  return held_.contains(ticket);
}

size_t HttpCalls::Engine::in_flight() const {
  std::lock_guard lock(mutex_);
  return held_.size();
}

void HttpCalls::Engine::run() {
  block_signals();
  while (take_commands()) {
    start_waiting();
    int under_way = 0;
    curl_multi_perform(multi_, &under_way);
    // What ended makes room for what waits, which must be added before the next poll.
    const bool has_ended = collect();
    publish(std::exchange(finished_, {}));
    if (has_ended) continue;
    curl_multi_poll(multi_, nullptr, 0, poll_ms_max, nullptr);
  }
  close();
}

/// False when it is time to stop.
bool HttpCalls::Engine::take_commands() {
  std::vector<Command> commands;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    commands.swap(inbox_);
  }
  for (Command& command : commands) {
    if (!command.transfer) {
      drop(command.number);
    } else if (command.transfer->accept()) {
      queue_.push(command.transfer->account(), command.number);
      transfers_.emplace(command.number, std::move(command.transfer));
    } else {
      finished_.push_back({command.number, command.transfer->answer()});
    }
  }
  return true;
}

void HttpCalls::Engine::drop(uint64_t number) {
  const auto at = transfers_.find(number);
  if (at == transfers_.end()) return;
  Transfer& transfer = *at->second;
  if (transfer.handle) {
    end(transfer);
  } else {
    check(queue_.remove(transfer.account(), number));
    transfers_.erase(at);
  }
}

void HttpCalls::Engine::start_waiting() {
  while (const auto number = queue_.start()) {
    const auto at = transfers_.find(*number);
    check(at != transfers_.end());
    Transfer& transfer = *at->second;
    if (!supply(transfer)) {
      finished_.push_back({*number, transfer.answer()});
      queue_.finish(transfer.account());
      transfers_.erase(at);
      continue;
    }
    transfer.handle = take_handle();
    transfer.begin();
    launch(transfer);
  }
}

/// Gives a request the secrets that it names. False when there are none; then its answer says why.
bool HttpCalls::Engine::supply(Transfer& transfer) const {
  const Value& credentials = transfer.credentials();
  if (credentials.is_null()) return true;
  if (!options_.find_secrets)
    return transfer.refuse("credential_missing", "There are no credentials here.");
  auto found = options_.find_secrets(transfer.account(), credentials);
  if (found) return transfer.take_secrets(*std::move(found));
  return transfer.refuse(found.error().error, found.error().message);
}

void HttpCalls::Engine::launch(Transfer& transfer) {
  transfer.prepare(transfer.handle, options_.policy, resolve_);
  check(curl_multi_add_handle(multi_, transfer.handle) == CURLM_OK);
}

/// True when something ended, be it a call or one of its hops.
bool HttpCalls::Engine::collect() {
  bool has_ended = false;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    has_ended = true;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    if (transfer->conclude(code)) {
      curl_multi_remove_handle(multi_, transfer->handle);
      curl_easy_reset(transfer->handle);
      launch(*transfer);
      continue;
    }
    finished_.push_back({transfer->number, transfer->answer()});
    end(*transfer);
  }
  return has_ended;
}

/// Takes a transfer under way out of the library and forgets it.
void HttpCalls::Engine::end(Transfer& transfer) {
  curl_multi_remove_handle(multi_, transfer.handle);
  curl_easy_reset(transfer.handle);
  idle_handles_.push_back(transfer.handle);
  queue_.finish(transfer.account());
  transfers_.erase(transfer.number);
}

void HttpCalls::Engine::publish(std::vector<Answered> answers) {
  if (answers.empty()) return;
  {
    std::lock_guard lock(mutex_);
    for (Answered& answered : answers) outbox_.push_back(std::move(answered));
  }
  if (options_.on_answer) options_.on_answer();
}

CURL* HttpCalls::Engine::take_handle() {
  if (idle_handles_.empty()) {
    CURL* handle = curl_easy_init();
    check(handle != nullptr);
    return handle;
  }
  CURL* handle = idle_handles_.back();
  idle_handles_.pop_back();
  return handle;
}

void HttpCalls::Engine::close() {
  while (!transfers_.empty()) drop(transfers_.begin()->first);
  for (CURL* handle : idle_handles_) curl_easy_cleanup(handle);
}

HttpCalls::HttpCalls(HttpCallsOptions options)
    : engine_(std::make_unique<Engine>(std::move(options))) {}
HttpCalls::~HttpCalls() = default;
void HttpCalls::submit(const CallTicket& ticket, CallRequest request) {
  engine_->submit(ticket, std::move(request));
}
void HttpCalls::abandon(const CallTicket& ticket) { engine_->abandon(ticket); }
std::vector<CallAnswer> HttpCalls::harvest() { return engine_->harvest(); }
bool HttpCalls::holds(const CallTicket& ticket) const { return engine_->holds(ticket); }
size_t HttpCalls::in_flight() const { return engine_->in_flight(); }

}  // namespace fermata
