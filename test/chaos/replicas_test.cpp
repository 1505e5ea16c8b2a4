#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/random.h"
#include "test/chaos/call_sink.h"
#include "test/chaos/load.h"
#include "test/postgres/postgres_server.h"

/// Several servers on one PostgreSQL: any of them takes any request, whichever of them dies.
namespace fermata::test {
namespace {

constexpr const char* short_wait = R"({"nodes":[
  {"id":"t","type":"manual","trigger":true},
  {"id":"w","type":"wait","parameters":{"amount":0.05}},
  {"id":"n","type":"noop"}],
 "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"n"}]})";

/// A call and a wait that a merge joins (C-201).
std::string joined(const std::string& sink) {
  return R"({"nodes":[
    {"id":"t","type":"manual","trigger":true},
    {"id":"call","type":"http","parameters":{"method":"POST","url":")" +
         sink + R"(/once"},"retry":{"max_attempts":5,"backoff_ms":20}},
    {"id":"w","type":"wait","parameters":{"amount":1}},
    {"id":"m","type":"merge"},{"id":"n","type":"noop"}],
   "edges":[{"id":"1","src":"t","dst":"call"},{"id":"2","src":"t","dst":"w"},
    {"id":"3","src":"call","dst":"m"},{"id":"4","src":"w","dst":"m"},
    {"id":"5","src":"m","dst":"n"}]})";
}

int wanted(const char* variable, int otherwise) {
  const char* given = std::getenv(variable);
  return given ? std::atoi(given) : otherwise;
}

class Replicas : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(database.start()) << database.log(); }

  ServerProcess& add(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--store", database.url(), "--postgres-lease-ms", "3000"};
    words.insert(words.end(), more.begin(), more.end());
    std::string name = "server" + std::to_string(servers.size());
    servers.push_back(std::make_unique<ServerProcess>(directory.path() / name, std::move(words)));
    return *servers.back();
  }
  /// Three that are ready; the first leads.
  void start_three() {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(add().start()) << logs();
    ASSERT_EQ(role(0), "leader");
    ASSERT_EQ(role(1), "follower");
    ASSERT_EQ(role(2), "follower");
  }
  int port(size_t at) const { return servers[at]->port(); }
  std::string role(size_t at) const {
    HttpReply ready = request(port(at), "GET", "/readyz");
    return ready.status == 200 ? std::string(ready.body.get("role").as_string()) : "";
  }
  std::optional<size_t> leader() const {
    for (size_t i = 0; i < servers.size(); ++i)
      if (role(i) == "leader") return i;
    return std::nullopt;
  }
  bool is_ready(size_t at, int seconds = 30) const {
    return await(seconds, [&] { return request(port(at), "GET", "/readyz").status == 200; });
  }
  Value told(size_t at, const std::string& method, const std::string& path,
             const std::string& body = "") const {
    HttpReply reply = request(port(at), method, "/api/v1" + path, body);
    EXPECT_TRUE(reply.status >= 200 && reply.status < 300)
        << method << " " << path << ": " << reply.status << " " << to_json(reply.body) << logs();
    return reply.body;
  }
  std::string logs() const {
    std::string all;
    for (const auto& server : servers) all += "\n--- " + server->log();
    return all;
  }
  void expect_each_once(size_t at, const std::vector<std::string>& answered) const {
    std::set<std::string> ids(answered.begin(), answered.end());
    EXPECT_EQ(ids.size(), answered.size()) << "two starts were given the same execution";
    for (const std::string& id : answered) {
      ASSERT_EQ(await_completed(port(at), id), "") << logs();
      ASSERT_EQ(terminal_events(port(at), id), 1u) << id;
    }
  }

  PostgresServer database;
  TemporaryDirectory directory;
  std::vector<std::unique_ptr<ServerProcess>> servers;
};

/// A connection that is read as it comes.
class RawClient {
 public:
  RawClient(int port, const std::string& text) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    for (size_t sent = 0; sent < text.size();) {
      ssize_t some = send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (some <= 0) return;
      sent += static_cast<size_t>(some);
    }
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  /// True when it was read within 20 seconds.
  bool read_until(const std::string& text) {
    return await(20, [&] {
      take();
      return received_.find(text) != std::string::npos;
    });
  }
  bool read_to_end() {
    return await(20, [&] {
      take();
      return ended_;
    });
  }
  const std::string& received() const { return received_; }

 private:
  void take() {
    pollfd readable{fd_, POLLIN, 0};
    if (ended_ || poll(&readable, 1, 10) <= 0) return;
    char buffer[65536];
    ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    ended_ = got <= 0;
    if (got > 0) received_.append(buffer, static_cast<size_t>(got));
  }
  int fd_;
  bool ended_ = false;
  std::string received_;
};

std::string get_text(const std::string& path, bool close) {
  return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
         (close ? "Connection: close\r\n" : "") + "\r\n";
}

// C-2, C-18: what one server can be asked any other can be asked, and the answer is the same.
TEST_F(Replicas, any_server_takes_any_request) {
  start_three();
  ASSERT_EQ(request(port(1), "PUT", "/api/v1/workflows/chaos", short_wait).status, 201);
  Value whole = told(2, "POST", "/workflows/chaos/executions?wait=20s", R"({"input":{"n":1}})");
  EXPECT_EQ(whole.get("status"), Value("completed")) << to_json(whole);
  std::string id(whole.get("id").as_string());
  EXPECT_EQ(to_json(told(1, "GET", "/executions/" + id)),
            to_json(told(0, "GET", "/executions/" + id)));
  HttpReply missing = request(port(1), "GET", "/api/v1/executions/none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body.get("code"), Value("execution_not_found")) << to_json(missing.body);
  EXPECT_NE(missing.head.find("application/problem+json"), std::string::npos) << missing.head;

  // Several on one connection, answered in order, and a HEAD without a body.
  RawClient pipelined(port(1), get_text("/api/v1/executions/" + id, false) +
                                   "HEAD /api/v1/executions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" +
                                   get_text("/version", false) + get_text("/none", true));
  ASSERT_TRUE(pipelined.read_to_end());
  const std::string& seen = pipelined.received();
  size_t first = seen.find(id), third = seen.find("\"name\":\"fermata\"");
  EXPECT_NE(first, std::string::npos) << seen;
  EXPECT_NE(third, std::string::npos) << seen;
  EXPECT_LT(first, third);

  // More than the window there and back.
  std::string large(1'500'000, 'x');
  Value big = told(1, "POST", "/workflows/chaos/executions?wait=20s",
                   R"({"input":{"text":")" + large + R"("}})");
  Value shown = told(2, "GET", "/executions/" + std::string(big.get("id").as_string()));
  EXPECT_EQ(shown.get("input").get("text"), Value(large));

  // A worker's claim waits at one server for a job that another is given.
  Value worker = told(1, "POST", "/worker/register",
                      R"({"worker_id":"w1","topics":["mail"],"max_parallel":1})");
  std::string registration(worker.get("registration_id").as_string());
  std::string claim =
      R"({"registration_id":")" + registration + R"(","seq":1,"slots":1,"wait_ms":20000})";
  RawClient waiting(port(1),
                    "POST /api/v1/worker/claim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                    "application/json\r\nConnection: close\r\nContent-Length: " +
                        std::to_string(claim.size()) + "\r\n\r\n" + claim);
  told(2, "POST", "/jobs", R"({"topic":"mail"})");
  EXPECT_TRUE(waiting.read_until("\"job_id\"")) << waiting.received() << logs();

  HttpReply metrics = request(port(1), "GET", "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_GT(database.number("select count(*) from fermata.replicas"), 2);
  EXPECT_TRUE(await(20, [&] {
    return database.number("select count(*) from fermata.passages where kind = 1") == 0;
  }));
  for (auto& server : servers) EXPECT_EQ(server->stop_softly(), 0) << server->log();
}

// C-18, C-2: a stream through a server that does not lead, until the leader is killed.
TEST_F(Replicas, stream_is_carried_and_ends_when_the_leader_dies) {
  start_three();
  told(1, "PUT", "/workflows/chaos", short_wait);
  RawClient stream(port(1), get_text("/api/v1/stream", false));
  ASSERT_TRUE(stream.read_until("text/event-stream")) << stream.received();
  std::string id(
      told(2, "POST", "/workflows/chaos/executions?wait=20s", "{}").get("id").as_string());
  EXPECT_TRUE(stream.read_until(id)) << stream.received();
  servers[0]->kill_hard();
  // In chunks to their end, as a server that stops ends it too.
  EXPECT_TRUE(stream.read_until("\r\n0\r\n\r\n")) << stream.received().substr(0, 400);
  ASSERT_TRUE(is_ready(1) && is_ready(2)) << logs();
  EXPECT_EQ(told(1, "GET", "/executions/" + id).get("status"), Value("completed"));
  EXPECT_EQ(told(2, "GET", "/executions/" + id).get("status"), Value("completed"));
}

// C-2, A-12: who comes by a server that others can reach is not taken for this machine's program.
TEST_F(Replicas, request_from_elsewhere_has_no_rights_of_the_leaders_machine) {
  ASSERT_TRUE(add().start()) << logs();
  ServerProcess& second = add({"--insecure"});
  std::string anywhere = "0.0.0.0:" + std::to_string(second.port());
  ServerProcess reached(directory.path() / "open",
                        {"--store", database.url(), "--insecure", "--listen", anywhere});
  reached.launch();
  ASSERT_TRUE(await(30, [&] { return request(second.port(), "GET", "/readyz").status == 200; }))
      << reached.log();
  HttpReply refused = request(second.port(), "GET", "/api/v1/executions");
  EXPECT_EQ(refused.status, 401) << to_json(refused.body);
  EXPECT_EQ(request(port(0), "GET", "/api/v1/executions").status, 200);
  reached.kill_hard();

  Ran without = run_fermata({"serve", "--store", database.url(), "--listen", anywhere});
  EXPECT_EQ(without.code, 2) << without.output;
  EXPECT_NE(without.output.find("no key exists"), std::string::npos) << without.output;
}

// C-2, C-120, C-201: the leader dies again and again under load; every answered start is there
// once, and ends once.
TEST_F(Replicas, leader_killed_again_and_again_loses_nothing) {
  start_three();
  told(0, "PUT", "/workflows/chaos", short_wait);
  std::vector<std::unique_ptr<Load>> loads;
  for (size_t i = 0; i < 3; ++i) loads.push_back(std::make_unique<Load>(port(i), "{}", 2));
  int kills = wanted("FERMATA_CHAOS_KILLS", 5);
  for (int kill = 0; kill < kills; ++kill) {
    size_t before =
        loads[0]->answered().size() + loads[1]->answered().size() + loads[2]->answered().size();
    ASSERT_TRUE(await(30, [&] {
      size_t now =
          loads[0]->answered().size() + loads[1]->answered().size() + loads[2]->answered().size();
      return now > before + 20;
    })) << logs();
    std::optional<size_t> leads;
    ASSERT_TRUE(await(30, [&] { return (leads = leader()).has_value(); })) << logs();
    servers[*leads]->kill_hard();
    servers[*leads]->launch();
  }
  std::vector<std::string> answered;
  for (auto& load : loads) {
    load->stop();
    for (std::string& id : load->answered()) answered.push_back(std::move(id));
    for (const auto& [key, code] : load->refused())
      EXPECT_TRUE(code == "standby" || code == "outcome_unknown" || code == "store_unavailable" ||
                  code == "shutting_down")
          << code;
  }
  for (size_t i = 0; i < 3; ++i) ASSERT_TRUE(is_ready(i)) << logs();
  expect_each_once(0, answered);
}

// C-201, C-120: random kills of any of three and one that is stopped for longer than its lease; a
// call, a wait and a merge in every run.
TEST_F(Replicas, random_kills_and_a_stopped_server_leave_every_run_whole) {
  CallSink outside;
  start_three();
  told(0, "PUT", "/workflows/chaos", joined(outside.url()));
  Random random(static_cast<uint64_t>(wanted("FERMATA_CHAOS_SEED", 20261118)));
  std::vector<std::unique_ptr<Load>> loads;
  for (size_t i = 0; i < 3; ++i) loads.push_back(std::make_unique<Load>(port(i), "{}", 1));
  int kills = wanted("FERMATA_CHAOS_KILLS", 4);
  for (int kill = 0; kill < kills; ++kill) {
    poll(nullptr, 0, 1'500 + static_cast<int>(random.below(1'000)));
    size_t victim = random.below(3);
    if (kill == kills / 2) {
      // The one that leads: another takes over when its lease has ended, and it writes nothing
      // more.
      std::optional<size_t> leads;
      ASSERT_TRUE(await(30, [&] { return (leads = leader()).has_value(); })) << logs();
      victim = *leads;
      servers[victim]->freeze();
      size_t other = (victim + 1) % 3;
      EXPECT_TRUE(await(30, [&] {
        return role(other) == "leader" || role((victim + 2) % 3) == "leader";
      })) << logs();
      servers[victim]->thaw();
      EXPECT_EQ(servers[victim]->await_end(), 5) << servers[victim]->log();
    } else {
      servers[victim]->kill_hard();
    }
    servers[victim]->launch();
  }
  std::vector<std::string> answered;
  for (auto& load : loads) {
    load->stop();
    for (std::string& id : load->answered()) answered.push_back(std::move(id));
  }
  ASSERT_GT(answered.size(), 20u);
  for (size_t i = 0; i < 3; ++i) ASSERT_TRUE(is_ready(i)) << logs();
  expect_each_once(1, answered);
  auto seen = outside.seen();
  EXPECT_GE(seen.size(), answered.size());
  EXPECT_FALSE(seen.contains("")) << "a call without its key";
  for (const auto& [key, requests] : seen) EXPECT_EQ(requests.size(), 1u) << key;
  // Those too whose start was not answered.
  EXPECT_TRUE(await(60, [&] {
    return database.number("select count(*) from fermata.roots where kind = 0 and open") == 0;
  }));
}

// C-208: a signal and the timeout of what waits for it, at one instant and through different
// servers: one of them wins.
TEST_F(Replicas, signal_and_timeout_at_one_instant_have_one_winner) {
  start_three();
  told(0, "PUT", "/workflows/race", R"({"nodes":[
    {"id":"t","type":"manual","trigger":true},
    {"id":"w","type":"wait_for_signal","parameters":{"name":"go","timeout_ms":1500,
      "on_timeout":"branch","timeout_edge_id":"late"}},
    {"id":"heard","type":"noop"},{"id":"missed","type":"noop"}],
   "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"heard"},
    {"id":"late","src":"w","dst":"missed"}]})");
  int rounds = wanted("FERMATA_CHAOS_ROUNDS", 90);
  std::vector<std::string> ids;
  std::vector<std::chrono::steady_clock::time_point> due;
  for (int i = 0; i < rounds; ++i) {
    auto begun = std::chrono::steady_clock::now();
    ids.emplace_back(told(static_cast<size_t>(i) % 3, "POST", "/workflows/race/executions", "{}")
                         .get("id")
                         .as_string());
    due.push_back(begun + std::chrono::milliseconds(1'500));
  }
  // Each is sent a signal from two servers at about its instant, a little before or after.
  std::vector<std::thread> senders;
  for (size_t sender = 1; sender < 3; ++sender)
    senders.emplace_back([&, sender] {
      for (size_t i = 0; i < ids.size(); ++i) {
        auto offset = std::chrono::milliseconds(static_cast<int>(i % 21) - 10);
        std::this_thread::sleep_until(due[i] + offset);
        request(port(sender), "POST", "/api/v1/executions/" + ids[i] + "/signals/go", "{}");
      }
    });
  for (std::thread& sender : senders) sender.join();
  size_t heard = 0, missed = 0;
  for (const std::string& id : ids) {
    ASSERT_EQ(await_completed(port(0), id), "") << logs();
    ASSERT_EQ(terminal_events(port(2), id), 1u) << id;
    HttpReply history = request(port(1), "GET", "/api/v1/executions/" + id + "/history?limit=1000");
    size_t one = 0, other = 0;
    for (const Value& event : history.body.get("items").items()) {
      if (event.get("type") != Value("NodeSucceeded")) continue;
      std::string text = to_json(event);
      one += text.find("\"heard\"") != std::string::npos;
      other += text.find("\"missed\"") != std::string::npos;
    }
    EXPECT_EQ(one + other, 1u) << to_json(history.body);
    heard += one;
    missed += other;
  }
  RecordProperty("heard", static_cast<int>(heard));
  RecordProperty("missed", static_cast<int>(missed));
}

// C-103, C-231: a server whose clock is wrong does not decide, says so, and still carries.
TEST_F(Replicas, server_whose_clock_is_wrong_does_not_lead) {
  ServerProcess& wrong = add({"--clock", "shifted:10000", "--clock-compare-ms", "300"});
  wrong.launch();
  ASSERT_TRUE(await(30, [&] {
    return request(port(0), "GET", "/readyz").body.get("code") == Value("clock_skew");
  })) << logs();
  ASSERT_TRUE(add().start()) << logs();
  EXPECT_EQ(role(1), "leader");
  told(1, "PUT", "/workflows/chaos", short_wait);
  Value whole = told(0, "POST", "/workflows/chaos/executions?wait=20s", "{}");
  EXPECT_EQ(whole.get("status"), Value("completed")) << to_json(whole);
  HttpReply unfit = request(port(0), "GET", "/readyz");
  EXPECT_EQ(unfit.status, 503);
  EXPECT_EQ(unfit.body.get("code"), Value("clock_skew"));
  servers[1]->kill_hard();
  ASSERT_TRUE(add({"--clock", "shifted:-200", "--clock-compare-ms", "300"}).start()) << logs();
  EXPECT_EQ(role(2), "leader") << logs();
  EXPECT_TRUE(await(20, [&] {
    return servers[2]->log().find("clock differs from PostgreSQL") != std::string::npos;
  })) << servers[2]->log();
}

// C-4, C-10, C-100: who is there, and whose settings differ.
TEST_F(Replicas, servers_are_listed_and_other_settings_are_warned_of) {
  ASSERT_TRUE(add({"--clock-compare-ms", "200"}).start()) << logs();
  ASSERT_TRUE(add({"--clock-compare-ms", "200", "--run-days", "7"}).start()) << logs();
  Value seen;
  EXPECT_TRUE(await(20, [&] {
    seen = told(1, "GET", "/cluster");
    return seen.get("items").size() == 2;
  }));
  const auto& items = seen.get("items").items();
  EXPECT_EQ(seen.get("shared"), Value(true));
  EXPECT_EQ(items[0].get("role"), Value("leader")) << to_json(seen);
  EXPECT_EQ(items[0].get("settings_differ"), Value(false));
  EXPECT_EQ(items[1].get("role"), Value("follower"));
  EXPECT_EQ(items[1].get("settings_differ"), Value(true));
  EXPECT_EQ(items[1].get("alive"), Value(true));
  EXPECT_TRUE(await(20, [&] {
    return servers[0]->log().find("other settings") != std::string::npos &&
           servers[1]->log().find("other settings") != std::string::npos;
  })) << logs();
  Ran shown = run_fermata({"cluster", "--server", "http://127.0.0.1:" + std::to_string(port(1))});
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_NE(shown.output.find("leader"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("other settings than the leader"), std::string::npos) << shown.output;
}

// C-100, C-232: servers are replaced one by one while the others are asked; a request waits for the
// next leader, and none is refused or left unclear. Who is to be replaced is asked no more, as
// behind any balancer that looks whether a server is ready.
TEST_F(Replicas, servers_replaced_one_by_one_under_load_cost_no_request) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(add({"--carry-wait-ms", "60000"}).start()) << logs();
  told(0, "PUT", "/workflows/chaos", short_wait);
  std::vector<std::unique_ptr<Load>> loads(servers.size());
  for (size_t i = 0; i < servers.size(); ++i) loads[i] = std::make_unique<Load>(port(i), "{}", 2);
  std::vector<std::string> answered;
  auto settle = [&](size_t at) {
    loads[at]->stop();
    EXPECT_EQ(loads[at]->refused(), (std::map<std::string, std::string>{})) << logs();
    EXPECT_EQ(loads[at]->unclear(), 0u) << logs();
    std::vector<std::string> more = loads[at]->answered();
    answered.insert(answered.end(), more.begin(), more.end());
  };
  for (size_t at = 0; at < servers.size(); ++at) {
    size_t other = (at + 1) % servers.size();
    size_t before = loads[other]->answered().size();
    ASSERT_TRUE(await(60, [&] { return loads[other]->answered().size() > before + 20; })) << logs();
    settle(at);
    EXPECT_EQ(servers[at]->stop_softly(), 0) << servers[at]->log();
    ASSERT_TRUE(servers[at]->start()) << logs();
    before = loads[other]->answered().size();
    ASSERT_TRUE(await(60, [&] { return loads[other]->answered().size() > before + 20; })) << logs();
    loads[at] = std::make_unique<Load>(port(at), "{}", 2);
  }
  for (size_t at = 0; at < servers.size(); ++at) settle(at);
  expect_each_once(1, answered);
}

// C-109: what people watch, one family each however many parts tell of it.
TEST_F(Replicas, leader_tells_what_is_watched) {
  ASSERT_TRUE(add({"--clock-compare-ms", "200"}).start()) << logs();
  told(0, "PUT", "/workflows/chaos", short_wait);
  told(0, "POST", "/workflows/chaos/executions?wait=10s");
  std::string metrics = request(port(0), "GET", "/metrics").text;
  std::set<std::string> families;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# TYPE "))
      EXPECT_TRUE(families.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
  for (const char* name :
       {"fermata_commit_seconds", "fermata_commit_roots", "fermata_conflicts_total",
        "fermata_timer_lateness_seconds", "fermata_unknown_commits_total",
        "fermata_clock_skew_seconds", "fermata_shards_owned"})
    EXPECT_TRUE(families.contains(name)) << name << metrics;
  EXPECT_NE(metrics.find("\nfermata_shards_owned 256\n"), std::string::npos);
  EXPECT_EQ(metrics.find("fermata_commit_seconds_count 0\n"), std::string::npos);
  EXPECT_EQ(metrics.find("fermata_timer_lateness_seconds_count 0\n"), std::string::npos);
}

}  // namespace
}  // namespace fermata::test
