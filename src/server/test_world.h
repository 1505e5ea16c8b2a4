#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "ports/calls.h"
#include "server/api.h"
#include "server/http/test_client.h"
#include "server/server.h"

namespace fermata {
class MemoryKernel;
}

namespace fermata::server {

/// Stands between the API and the engine and can refuse commands.
class TestIntake final : public Intake {
 public:
  explicit TestIntake(Intake& engine) : engine_(engine) {}
  [[nodiscard]] bool submit(Command command, Reply reply) override;

  std::atomic<bool> full{false};
  std::optional<Error> failure;

 private:
  Intake& engine_;
};

/// Where callbacks of a test go. Each is answered at once, by 200 or as `answer` says.
class TestSink final : public Calls {
 public:
  void submit(const CallTicket& ticket, CallRequest request) override;
  void abandon(const CallTicket&) override {}
  std::vector<CallAnswer> harvest() override;
  bool holds(const CallTicket&) const override { return false; }
  size_t in_flight() const override;
  /// What came so far.
  std::vector<CallRequest> received() const;

  std::function<CallAnswer(const CallRequest&)> answer;  ///< set before anything is sent
  std::function<void()> ring;

 private:
  mutable std::mutex mutex_;
  std::vector<CallRequest> received_;
  std::vector<CallAnswer> answers_;
};

/// A whole server in one process: the API over the real engine with everything in memory, on a
/// clock that stands still, reached by real connections.
class TestWorld {
 public:
  explicit TestWorld(const std::function<void(ApiOptions&)>& change = {});
  ~TestWorld();

  Api& api();
  Server& server();
  TestIntake& intake();
  TestSink& sink();
  /// Asked where `ApiOptions::policy` says so; down until it is told what to say.
  MemoryKernel& kernel();

  /// By the world's own connection; the answer's body as JSON.
  struct Answer {
    int status = 0;
    Value body;
    std::map<std::string, std::string> headers;
    std::string text;
    std::string code() const;
  };
  Answer ask(std::string_view method, std::string_view target, std::string_view body = "",
             std::string_view headers = "");
  TestClient& client();
  /// Stores a workflow that completes at once and one that waits for a signal `go`.
  void put_workflows();
  /// Starts one and gives its id.
  std::string start(std::string_view workflow, std::string_view body = "{}");
  /// Asks for an execution until it has that status; false when it never does.
  bool wait_for(const std::string& id, std::string_view status);
  /// Moves the clock, stopping at every due time on the way, until all of that has happened.
  void advance(Duration by);
  /// Makes a key by the store and gives its text.
  std::string add_key(Role role, const std::string& account = "default");

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// Completes at once with {doubled}.
extern const char* const instant_workflow;
/// Waits for the signal `go`.
extern const char* const waiting_workflow;

}  // namespace fermata::server
