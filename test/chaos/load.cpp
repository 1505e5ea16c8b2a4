#include "test/chaos/load.h"

#include <poll.h>

#include <chrono>

#include "base/json.h"

namespace fermata::test {

Load::Load(int port, std::string body, int threads) : body_(std::move(body)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, port, i] { work(port, i); });
}

void Load::stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Load::work(int port, int thread) {
  // Loads of one test follow each other; their keys must not meet.
  static std::atomic<int> loads{0};
  std::string lead = std::to_string(++loads) + "-" + std::to_string(thread) + "-";
  for (int number = 0; !stopping_; ++number) {
    std::string key = lead + std::to_string(number);
    HttpReply reply = request(port, "POST", "/api/v1/workflows/chaos/executions", body_,
                              {{"Idempotency-Key", key}});
    {
      std::lock_guard lock(mutex_);
      if (reply.status == 201) {
        answered_.emplace_back(reply.body.get("id").as_string());
      } else if (reply.status == 503) {
        refused_[key] = reply.body.get("code").as_string();
      } else {
        ++unclear_;
      }
    }
    if (reply.status != 201) poll(nullptr, 0, 1);
  }
}

std::vector<std::string> Load::answered() const {
  std::lock_guard lock(mutex_);
  return answered_;
}

std::map<std::string, std::string> Load::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

size_t Load::unclear() const {
  std::lock_guard lock(mutex_);
  return unclear_;
}

bool await(int seconds, const std::function<bool()>& holds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    poll(nullptr, 0, 10);
  }
  return false;
}

std::string await_completed(int port, const std::string& id) {
  HttpReply reply;
  await(90, [&] {
    reply = request(port, "GET", "/api/v1/executions/" + id);
    return reply.status == 200 && !reply.body.get("completed_at").is_null();
  });
  bool completed = reply.status == 200 && reply.body.get("status") == Value("completed");
  return completed ? "" : id + ": " + to_json(reply.body);
}

size_t terminal_events(int port, const std::string& id) {
  HttpReply reply = request(port, "GET", "/api/v1/executions/" + id + "/history?limit=1000");
  size_t terminal = 0;
  if (!reply.body.get("items").is_array()) return 0;
  for (const Value& event : reply.body.get("items").items()) {
    std::string_view type = event.get("type").as_string();
    for (const char* name : {"RunCompleted", "RunFailed", "RunCancelled", "RunTimedOut"})
      terminal += type == name;
  }
  return terminal;
}

}  // namespace fermata::test
