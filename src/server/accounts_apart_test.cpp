#include <set>

#include "server/jobs_fixture.h"
#include "server/routes/table.h"

namespace fermata::server {
namespace {

/// Account A has one of everything; B asks for all of it, by every route there is (JT-45). Routes
/// come from the table: one that is added is asked too, and fails here until it keeps the accounts
/// apart.
class AccountsApart : public Jobs {
 protected:
  void SetUp() override {
    b_ = "Authorization: Bearer " + world.add_key(Role::admin, "b") + "\r\n";
    b_worker_ = "Authorization: Bearer " + world.add_key(Role::worker, "b") + "\r\n";
    Answer answer = as_worker("POST", "/worker/register", R"({"worker_id":"b-w","topics":["*"]})");
    ASSERT_EQ(answer.status, 200) << answer.text;
    b_registration_ = text(answer.body.get("registration_id"));
  }
  Answer ask(std::string_view method, const std::string& target, const std::string& body = "") {
    return world.ask(method, "/api/v1" + target, body, b_);
  }
  Answer as_worker(std::string_view method, const std::string& target, const std::string& body) {
    return world.ask(method, "/api/v1" + target, body, b_worker_);
  }

  /// One of everything, each with an id that is seen again wherever it is told.
  void make_everything_of_a() {
    std::string worker = enroll("secret-worker");
    ids_["registration_id"] = worker;
    ids_["worker_id"] = "secret-worker";
    Value large = Value(std::string(100'000, 'x'));
    submit("secret-failed", "secret.fail", Value::object());
    report(worker, result_of(claimed(worker, 1), "failed", Value::object()));
    ids_["entry_id"] = text(get("/dlq").body.get("items").items()[0].get("id"));
    submit("secret-running", "secret.run", Value::object({{"input", large}}));
    running_ = claimed(worker, 2);
    ids_["job_id"] = "secret-running";
    ids_["sha256"] = text(running_.get("input_blob").get("sha256"));
    ids_["name"] = "secret.txt";
    submit("secret-asked", "approval", Value::object());
    ids_["approval_id"] = "secret-asked";
    ids_["bundle_id"] = "secret-bundle";
    Answer bundle =
        world.ask("PUT", "/api/v1/policy/bundles/secret-bundle", R"({"version":1,"rules":[]})");
    ASSERT_LT(bundle.status, 300) << bundle.text;
    world.put_workflows();
    ids_["execution_id"] = world.start("waiting");
    ids_["seq"] = "1";
    submit("secret-member", "secret.member", Value::object({{"saga_id", "secret-saga"}}));
  }
  void submit(const std::string& id, const std::string& topic, Value more) {
    more.set("id", id);
    more.set("topic", topic);
    Answer answer = post("/jobs", more);
    ASSERT_EQ(answer.status, 201) << answer.text;
  }
  Value claimed(const std::string& worker, int seq) {
    Value jobs = claim(worker, seq).get("jobs");
    EXPECT_EQ(jobs.size(), 1u);
    return jobs.size() == 1 ? jobs.items()[0] : Value();
  }

  /// Of sections 7 and 11 of the requirements.
  static bool concerns_jobs(std::string_view path) {
    for (std::string_view part :
         {"/api/v1/jobs", "/api/v1/approvals", "/api/v1/dlq", "/api/v1/worker", "/api/v1/pools",
          "/api/v1/queues", "/api/v1/limits", "/api/v1/policy", "/api/v1/breakers", "/api/v1/sagas",
          "/api/v1/executions/{execution_id}/saga", "/api/v1/executions/{execution_id}/rollback"})
      if (path.starts_with(part)) return true;
    return false;
  }
  static bool has_variable(const Route& route) {
    return route.path.find('{') != std::string_view::npos;
  }
  /// The route's path with A's ids; nothing where A has none such.
  std::optional<std::string> target_of(const Route& route) const {
    std::string path(route.path.substr(7));
    for (size_t open = path.find('{'); open != std::string::npos; open = path.find('{')) {
      size_t close = path.find('}', open);
      auto id = ids_.find(path.substr(open + 1, close - open - 1));
      if (id == ids_.end()) return std::nullopt;
      path.replace(open, close - open + 1, id->second);
    }
    return path;
  }
  /// A body that the route would take for a thing of B's own.
  std::string body_of(const Route& route) const {
    std::string_view path = route.path;
    auto ends = [&](std::string_view tail) { return path.ends_with(tail); };
    std::string mine = R"("registration_id":")" + b_registration_ + '"';
    std::string fence = R"("fence":)" + to_json(running_.get("fence"));
    if (ends("/approve") || ends("/reject")) return R"({"hash":"x","reason":"no"})";
    if (ends("/amend")) return R"({"input":1})";
    if (ends("/remediate")) return R"({"remediation_id":"x"})";
    if (ends("/skip")) return R"({"reason":"x"})";
    if (ends("/logs")) return "{" + mine + "," + fence + R"(,"lines":["x"]})";
    if (ends("/decline")) return "{" + mine + "," + fence + R"(,"reason":"x"})";
    if (ends("/renew") || ends("/progress")) return "{" + mine + "," + fence + "}";
    if (route.body == Body::json || route.body == Body::json_optional) return "{}";
    return route.body == Body::none ? "" : "bytes";
  }

  std::string b_, b_worker_, b_registration_;
  std::map<std::string, std::string> ids_;  ///< of A, by the names that paths have for them
  Value running_;
};

// JT-45
TEST_F(AccountsApart, ids_of_another_account_exist_by_no_route) {
  make_everything_of_a();
  size_t asked = 0;
  for (const Route& route : route_table(world.api().options())) {
    if (!concerns_jobs(route.path) || !has_variable(route)) continue;
    // What root does it does for all accounts.
    if (route.access == Access::root) continue;
    // Its own document of that name.
    if (route.method == http::Method::put && route.path.ends_with("{bundle_id}")) continue;
    auto target = target_of(route);
    ASSERT_TRUE(target) << route.path << ": give account A one";
    bool worker = route.access == Access::worker;
    std::string more;
    if (worker && route.path.ends_with("{name}")) more = "?fence=" + to_json(running_.get("fence"));
    auto method = http::name_of(route.method);
    Answer answer = worker ? as_worker(method, *target + more, body_of(route))
                           : ask(method, *target, body_of(route));
    const Value& word = answer.body.get("answer");
    bool unknown = answer.status == 200 && (word == Value("unknown_job") || word == Value("lost"));
    // An artifact is put by its fence; one of a job that is nowhere is refused in the same words.
    bool nobodys = false;
    if (!more.empty()) {
      Answer nobody = as_worker(method, "/worker/jobs/nobody/artifacts/x" + more, body_of(route));
      nobodys = answer.code() == "wrong_state" && answer.status == nobody.status &&
                answer.body.get("detail") == nobody.body.get("detail");
    }
    EXPECT_TRUE(answer.status == 404 || unknown || nobodys)
        << method << " " << *target << ": " << answer.status << " " << answer.text;
    ++asked;
  }
  EXPECT_GT(asked, 30u);
  EXPECT_EQ(get("/jobs/secret-running").body.get("state"), Value("DISPATCHED"));
  EXPECT_EQ(get("/jobs/secret-asked").body.get("state"), Value("APPROVAL_REQUIRED"));
  EXPECT_EQ(get("/workers/secret-worker").body.get("status"), Value("online"));
}

// JT-45
TEST_F(AccountsApart, lists_and_counts_show_nothing_of_another_account) {
  std::map<std::string, std::string> before;
  std::vector<std::string> targets;
  for (const Route& route : route_table(world.api().options()))
    if (concerns_jobs(route.path) && !has_variable(route) && route.method == http::Method::get &&
        route.access != Access::worker)
      targets.emplace_back(route.path.substr(7));
  for (const std::string& target : targets) before[target] = ask("GET", target).text;
  make_everything_of_a();
  for (const std::string& target : targets)
    EXPECT_EQ(ask("GET", target).text, before[target]) << target;
  EXPECT_GT(targets.size(), 10u);
}

// JT-45
TEST_F(AccountsApart, what_names_ids_in_its_body_finds_none_of_another_account) {
  make_everything_of_a();
  std::string fence = to_json(running_.get("fence"));
  Answer results = as_worker(
      "POST", "/worker/results",
      R"({"registration_id":")" + b_registration_ +
          R"(","results":[{"job_id":"secret-running","attempt":1,"status":"succeeded","fence":)" +
          fence + "}]}");
  EXPECT_EQ(results.body.get("results").items()[0].get("answer"), Value("unknown_job"))
      << results.text;
  Answer beat = as_worker("POST", "/worker/heartbeat",
                          R"({"registration_id":")" + b_registration_ +
                              R"(","last_seq":1,"leases":[{"job_id":"secret-running","fence":)" +
                              fence + "}]}");
  EXPECT_EQ(beat.body.get("lost").size(), 1u) << beat.text;
  Answer resumed = as_worker("POST", "/worker/register",
                             R"({"worker_id":"secret-worker","topics":["*"],"resume":[
                                 {"job_id":"secret-running","fence":)" +
                                 fence + "}]}");
  EXPECT_EQ(resumed.body.get("resumed").size(), 0u) << resumed.text;
  EXPECT_EQ(resumed.body.get("lost").size(), 1u);
  std::string theirs = R"({"registration_id":")" + ids_["registration_id"] + '"';
  const std::map<std::string, std::string> calls = {
      {"/worker/claim", R"(,"seq":9,"slots":1,"wait_ms":0})"},
      {"/worker/heartbeat", R"(,"last_seq":9,"leases":[]})"},
      {"/worker/results",
       R"(,"results":[{"job_id":"x","attempt":1,"fence":1,"status":"failed"}]})"}};
  for (const auto& [call, more] : calls) {
    Answer answer = as_worker("POST", call, theirs + more);
    EXPECT_EQ(answer.status, 404) << call << answer.text;
  }
  EXPECT_EQ(
      as_worker("GET", "/worker/stream?registration_id=" + ids_["registration_id"], "").status,
      404);
  EXPECT_EQ(ask("POST", "/dlq/purge", R"({"filter":"all"})").body.get("matched"), Value(0));
  Answer dry = ask("POST", "/dlq/bulk",
                   R"({"action":"retry","dry_run":true,"ids":[")" + ids_["entry_id"] + R"("]})");
  EXPECT_EQ(dry.body.get("refused").get("value_not_found"), Value(1)) << dry.text;
  dry = ask("POST", "/jobs/bulk", R"({"action":"cancel","dry_run":true,"ids":["secret-running"]})");
  EXPECT_EQ(dry.body.get("refused").get("job_not_found"), Value(1)) << dry.text;
  // A saga is its account's: a job that names another's is stopped.
  Answer joined = ask("POST", "/jobs", R"({"topic":"x","id":"b-1","saga_id":"secret-saga"})");
  EXPECT_EQ(joined.status, 201) << joined.text;
  EXPECT_EQ(ask("GET", "/jobs/b-1").body.get("state"), Value("CANCELLED"));
  EXPECT_EQ(get("/executions/secret-saga/saga").body.get("open_jobs"),
            Value::array({"secret-member"}));
  EXPECT_EQ(get("/jobs/secret-running").body.get("state"), Value("DISPATCHED"));
  EXPECT_EQ(get("/workers/secret-worker").body.get("active"), Value(1));
}

// JT-45: a snapshot holds the bundles of its account.
TEST_F(AccountsApart, policy_of_another_account_is_neither_read_nor_taken_over) {
  make_everything_of_a();
  std::string snapshot = text(get("/policy").body.get("snapshot"));
  EXPECT_EQ(get("/policy?snapshot=" + snapshot).status, 200);
  EXPECT_EQ(ask("GET", "/policy?snapshot=" + snapshot).code(), "snapshot_not_found");
  EXPECT_EQ(ask("POST", "/policy/rollback", R"({"snapshot":")" + snapshot + R"("})").code(),
            "snapshot_not_found");
  EXPECT_EQ(ask("GET", "/policy/bundles").body.get("items").size(), 0u);
}

// JT-45, A-6
TEST_F(AccountsApart, stream_of_an_account_tells_of_nothing_else) {
  TestClient reader(world.server().port());
  reader.send("GET /api/v1/stream?kinds=runs,approvals HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b_ +
              "\r\n");
  ASSERT_NE(reader.read_until("retry: 1000\n\n").find("retry: 1000"), std::string::npos);
  make_everything_of_a();
  constexpr const char* one_node =
      R"({"nodes":[{"id":"a","type":"manual","parameters":{},"trigger":true}],"edges":[]})";
  Answer put = ask("PUT", "/workflows/own", one_node);
  ASSERT_EQ(put.status, 201) << put.text;
  std::string own = text(ask("POST", "/workflows/own/executions", "{}").body.get("id"));
  ASSERT_FALSE(own.empty());
  std::string heard = reader.read_until(own);
  ASSERT_NE(heard.find(own), std::string::npos) << "nothing is heard at all: " << heard;
  EXPECT_EQ(heard.find("secret"), std::string::npos) << heard;
  EXPECT_EQ(heard.find(ids_["execution_id"]), std::string::npos) << heard;
}

}  // namespace
}  // namespace fermata::server
