#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/http_calls.h"
#include "adapters/http/http_test_server.h"

namespace fermata {

/// For tests: HttpCalls with a way to wait for answers, at most 30 seconds.
class TestCaller {
 public:
  explicit TestCaller(HttpCallsOptions options = {}) : calls(with_bell(std::move(options))) {}

  /// For this setting of `http_private_networks`.
  static HttpCallsOptions policy(const char* setting) {
    HttpCallsOptions options;
    options.policy = *parse_network_policy(setting);
    return options;
  }
  static CallTicket ticket(uint64_t token) { return {RunId("run"), token, 1}; }
  static CallRequest get(std::string url) {
    CallRequest request;
    request.account = AccountId("a");
    request.url = std::move(url);
    request.timeout_ms = 20'000;
    return request;
  }

  /// Submits one call and waits for its answer; one with error `no_answer` when none came.
  CallAnswer call(CallRequest request) {
    const CallTicket mine = ticket(++last_token_ + 1'000'000);
    calls.submit(mine, std::move(request));
    if (!await(1))
      return {.ticket = mine,
              .error = "no_answer",
              .message = "",
              .status_text = "",
              .headers = {},
              .body = ""};
    CallAnswer answer = std::move(answers.back());
    answers.clear();
    return answer;
  }
  /// Waits until `answers` holds that many; false when time is over.
  bool await(size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::unique_lock lock(mutex_);
    for (;;) {
      rung_ = false;
      lock.unlock();
      for (CallAnswer& answer : calls.harvest()) answers.push_back(std::move(answer));
      if (answers.size() >= count) return true;
      lock.lock();
      if (!bell_.wait_until(lock, deadline, [&] { return rung_; })) return false;
    }
  }

 private:
  HttpCallsOptions with_bell(HttpCallsOptions options) {
    options.on_answer = [this] {
      {
        std::lock_guard lock(mutex_);
        rung_ = true;
      }
      bell_.notify_all();
    };
    return options;
  }

  std::mutex mutex_;
  std::condition_variable bell_;
  bool rung_ = false;
  uint64_t last_token_ = 0;

 public:
  std::vector<CallAnswer> answers;
  HttpCalls calls;  ///< last, so that its thread ends before what it rings goes
};

/// The value of a header of an answer, or empty.
inline std::string header_of(const CallAnswer& answer, const std::string& lower_name) {
  for (const auto& [name, value] : answer.headers)
    if (name == lower_name) return value;
  return {};
}

}  // namespace fermata
