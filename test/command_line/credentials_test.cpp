#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/http/http_test_server.h"
#include "base/hash.h"
#include "base/json.h"
#include "cli/client_http.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

const std::vector<std::string> virtual_clock = {"--clock", "virtual:2026-01-26T00:00:00Z"};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

Value value_of(const Finished& finished) {
  EXPECT_EQ(finished.exit, 0) << finished.out << finished.err;
  auto value = parse_json(finished.out);
  EXPECT_TRUE(value) << finished.out;
  return value ? *std::move(value) : Value();
}

cli::HttpAnswer ask(const ServeProcess& server, cli::HttpRequest request) {
  auto address = cli::parse_server_address(server.url());
  auto channel = cli::open_channel(*address, 30);
  EXPECT_TRUE(channel);
  auto answer = cli::exchange(**channel, *address, request);
  EXPECT_TRUE(answer);
  return answer ? *std::move(answer) : cli::HttpAnswer{};
}

cli::HttpAnswer post(const ServeProcess& server, const std::string& target, const std::string& body,
                     std::vector<std::pair<std::string, std::string>> headers = {}) {
  headers.emplace_back("Content-Type", "application/json");
  return ask(server, {"POST", target, std::move(headers), body});
}

/// Sends back everything it was sent, as some services do.
TestReply echo(const TestRequest& seen) {
  TestReply reply;
  Value headers = Value::object();
  for (const auto& [name, value] : seen.headers) headers.set(name, value);
  reply.headers = {{"Content-Type", "application/json"},
                   {"X-Echo", seen.header("authorization")},
                   {"X-Target", seen.target}};
  reply.body = to_json(Value::object({{"target", seen.target}, {"headers", headers}}));
  return reply;
}

/// A graph of one http node for each credential, in a row.
std::string calling_graph(const std::string& url, const std::vector<std::string>& credentials,
                          const std::string& more = "") {
  std::string nodes = R"({"id":"t","type":"manual","trigger":true})";
  std::string edges;
  std::string before = "t";
  for (size_t i = 0; i < credentials.size(); ++i) {
    std::string id = "n" + std::to_string(i);
    nodes += R"(,{"id":")" + id + R"(","type":"http","parameters":{"url":")" + url +
             R"("},"credentials":)" + credentials[i] + more + "}";
    edges += (i ? "," : "") + std::string(R"({"id":"e)") + id + R"(","src":")" + before +
             R"(","dst":")" + id + "\"}";
    before = id;
  }
  return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
}

class CredentialCommands : public testing::Test {
 protected:
  std::vector<std::string> serve_words(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--data", scratch.path("data")});
    return more;
  }
  std::string graph_file(const std::string& text) {
    return write_file(scratch.path("w.json"), text);
  }
  static Finished set(const ServeProcess& server, std::vector<std::string> words,
                      const std::string& secret) {
    words.insert(words.begin(), {"credentials", "set"});
    Finished finished = server.command(words, {}, secret);
    EXPECT_EQ(finished.exit, 0) << finished.err;
    return finished;
  }
  static std::string start(const ServeProcess& server, const std::string& file) {
    Finished started = server.command({"start", file});
    EXPECT_EQ(started.exit, 0) << started.err;
    return started.out.substr(0, started.out.find('\n'));
  }
  /// The error of a run once it has failed.
  static std::string failure(const ServeProcess& server, const std::string& id) {
    server.command({"watch", id});
    Value run = value_of(server.command({"show", id, "--json"}));
    const Value& code = run.get("error").get("code");
    return code.is_string() ? std::string(code.as_string())
                            : std::string(run.get("status").as_string());
  }

  Scratch scratch;
  HttpTestServer target{echo};
};

// A-13: nothing that the server or the program writes anywhere holds a secret.
TEST_F(CredentialCommands, secrets_are_in_no_file_answer_or_log) {
  std::string seen;  // Everything that was said to anybody.
  auto note = [&](const Finished& finished) {
    seen += finished.out + finished.err;
    return finished;
  };
  ServeProcess server(serve_words({"--log-level", "debug"}));
  note(set(server, {"tok", "--type", "token"}, "s3cret-token-AAAA\n"));
  note(set(server, {"bas", "--type", "basic_auth", "--set", "username=ann"}, "s3cret-pass-BBBB"));
  note(set(server, {"hea", "--type", "header"}, R"({"name":"X-Mine","value":"s3cret-head-CCCC"})"));
  note(set(server, {"que", "--type", "query", "--set", "name=k"}, "s3cret-query-DDDD"));
  note(set(server, {"sig", "--type", "hmac_sha256"}, "s3cret-hmac-EEEE"));
  std::string file = graph_file(
      calling_graph(target.url("/echo"),
                    {R"({"id":"tok"})", R"({"id":"bas"})", R"({"name":"hea"})", R"({"id":"que"})",
                     R"({"id":"inl","type":"api_key","values":{"key":"s3cret-inline-FFFF"}})"}));
  std::string id = start(server, file);
  note(server.command({"watch", id}));
  for (const char* command : {"show", "history"}) note(server.command({command, id, "--json"}));
  EXPECT_EQ(note(server.command({"ps", "--json"})).exit, 0);

  // Every secret did reach the service it is for.
  ASSERT_TRUE(target.await_requests(5));
  std::vector<TestRequest> calls = target.requests();
  EXPECT_EQ(calls[0].header("authorization"), "Bearer s3cret-token-AAAA");
  EXPECT_EQ(calls[1].header("authorization"), "Basic " + base64("ann:s3cret-pass-BBBB"));
  EXPECT_EQ(calls[2].header("x-mine"), "s3cret-head-CCCC");
  EXPECT_EQ(calls[3].target, "/echo?k=s3cret-query-DDDD");
  EXPECT_EQ(calls[4].header("x-api-key"), "s3cret-inline-FFFF");
  EXPECT_NE(seen.find("Bearer ***"), std::string::npos);

  // A webhook that is signed, rightly and wrongly.
  std::string hook = R"({"nodes":[{"id":"t","type":"webhook","trigger":true,
      "parameters":{"auth":"hmac_sha256"},"credentials":{"id":"sig"}}],"edges":[]})";
  auto stored = ask(server, {"PUT", "/api/v1/workflows/hook", {}, hook});
  std::string path(parse_json(stored.body)->get("webhook_path").as_string());
  auto digest = hmac_sha256("s3cret-hmac-EEEE", "{}");
  std::string right = hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
  EXPECT_EQ(post(server, path, "{}", {{"X-Signature", right}}).status, 202);
  EXPECT_EQ(post(server, path, "{}", {{"X-Signature", "s3cret-wrong-GGGG"}}).status, 401);

  // Changes, mistakes and a backup.
  note(server.command({"credentials", "set", "tok", "--type", "token", "--name", "bas"}, {},
                      "s3cret-token-HHHH"));
  note(server.command({"credentials", "set", "x", "--type", "header"}, {}, "{\"s3cret-bad-IIII"));
  note(server.command({"credentials", "revoke", "bas", "--reason", "test"}));
  note(server.command({"credentials", "list", "--json"}));
  for (const char* answered :
       {"/metrics", "/api/v1/audit", "/api/v1/credentials", "/openapi.json", "/api/v1/workflows/w"})
    seen += ask(server, {"GET", answered, {}, ""}).body;
  note(fermata({"backup", scratch.path("copy"), "--data", scratch.path("data")}));
  seen += content(scratch.path("copy"));

  auto read_data = [&] {
    size_t files = 0;
    for (const auto& each : std::filesystem::directory_iterator(scratch.path("data"))) {
      seen += content(each.path());
      ++files;
    }
    EXPECT_GE(files, 3u);
  };
  read_data();  // The write-ahead log is there while the server runs.
  EXPECT_TRUE(std::filesystem::exists(scratch.path("data") + "/fermata.db-wal"));
  EXPECT_EQ(server.stop(), 0);
  read_data();
  seen += server.log();
  EXPECT_GT(seen.size(), 100'000u);
  for (const char* secret : {"s3cret", "AAAA", "BBBB", "CCCC", "DDDD", "EEEE", "FFFF", "HHHH"}) {
    EXPECT_EQ(seen.find(secret), std::string::npos) << secret;
  }
  for (const char* whole : {"s3cret-token-AAAA", "ann:s3cret-pass-BBBB", "s3cret-hmac-EEEE"}) {
    EXPECT_EQ(seen.find(base64(whole)), std::string::npos) << whole;
    EXPECT_EQ(seen.find(hex(whole)), std::string::npos) << whole;
  }
  EXPECT_EQ(fermata({"verify", "--data", scratch.path("data")}).exit, 0);
}

// G-4: the credential is asked for at every attempt.
TEST_F(CredentialCommands, a_credential_revoked_between_attempts_is_missing_at_the_next) {
  HttpTestServer failing([](const TestRequest&) {
    TestReply reply;
    reply.status = 500;
    return reply;
  });
  ServeProcess server(serve_words(virtual_clock));
  set(server, {"tok", "--type", "token"}, "first-token");
  std::string retry = R"(,"retry":{"max_attempts":3,"backoff_ms":60000,"jitter":0,"multiplier":1})";
  std::string file = graph_file(calling_graph(failing.url("/"), {R"({"id":"tok"})"}, retry));
  std::string id = start(server, file);
  auto waits = [&] {
    for (int i = 0; i < 2000; ++i)
      if (server.command({"show", id, "--json"}).out.find("\"kind\":\"retry\"") !=
          std::string::npos)
        return true;
    return false;
  };
  ASSERT_TRUE(waits());
  set(server, {"tok"}, "second-token");
  EXPECT_EQ(post(server, "/api/v1/test/clock/advance", R"({"ms":60000})").status, 200);
  ASSERT_TRUE(failing.await_requests(2));
  ASSERT_TRUE(waits());
  EXPECT_EQ(server.command({"credentials", "revoke", "tok"}).exit, 0);
  EXPECT_EQ(post(server, "/api/v1/test/clock/advance", R"({"ms":60000})").status, 200);
  EXPECT_EQ(failure(server, id), "credential_missing");
  ASSERT_EQ(failing.requests().size(), 2u);
  EXPECT_EQ(failing.requests()[0].header("authorization"), "Bearer first-token");
  EXPECT_EQ(failing.requests()[1].header("authorization"), "Bearer second-token");
}

// A-13: the embedded profile has a key of its own, and a lost one loses nothing.
TEST_F(CredentialCommands, the_key_is_made_at_first_use_and_told_when_it_is_missing) {
  std::string key = scratch.path("data") + "/secrets.key";
  std::string file = graph_file(calling_graph(target.url("/"), {R"({"id":"tok"})"}));
  {
    ServeProcess server(serve_words());
    EXPECT_EQ(failure(server, start(server, file)), "credential_missing");
    EXPECT_FALSE(std::filesystem::exists(key));
    set(server, {"tok", "--type", "token"}, "s3cret-token");
    struct stat about{};
    ASSERT_EQ(stat(key.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
    EXPECT_NE(server.log().find("secrets.key"), std::string::npos) << server.log();
    EXPECT_EQ(failure(server, start(server, file)), "completed");
    EXPECT_EQ(server.stop(), 0);
  }
  std::filesystem::rename(key, key + ".away");
  {
    ServeProcess server(serve_words());
    EXPECT_NE(server.log().find("Credentials cannot be opened"), std::string::npos) << server.log();
    EXPECT_EQ(failure(server, start(server, file)), "credential_unreadable");
    Finished refused =
        server.command({"credentials", "set", "new", "--type", "token"}, {}, "s3cret-token");
    EXPECT_EQ(refused.exit, 5);
    EXPECT_NE(refused.err.find("secrets.key"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(key));
  }
  std::filesystem::rename(key + ".away", key);
  chmod(key.c_str(), 0644);
  {
    ServeProcess server(serve_words());
    EXPECT_NE(server.log().find("chmod 600"), std::string::npos) << server.log();
    EXPECT_EQ(failure(server, start(server, file)), "completed");
  }
  write_file(key, "no key at all\n");
  Finished refused = fermata({"serve", "--listen", "127.0.0.1:0", "--data", scratch.path("data")});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("secrets.key"), std::string::npos) << refused.err;
}

// A-13
TEST_F(CredentialCommands, a_key_is_changed_by_putting_a_new_one_before_it) {
  std::string old_key(64, 'a');
  std::string new_key(64, 'b');
  std::string file = graph_file(calling_graph(target.url("/"), {R"({"id":"tok"})"}));
  auto with = [&](const std::string& keys) {
    return std::vector<std::string>{"FERMATA_SECRETS_KEY=" + keys};
  };
  {
    ServeProcess server(serve_words(), with(old_key));
    set(server, {"tok", "--type", "token"}, "s3cret-token");
  }
  {
    ServeProcess server(serve_words(), with(new_key));
    EXPECT_EQ(failure(server, start(server, file)), "credential_unreadable");
    Finished left = server.command({"credentials", "reseal"});
    EXPECT_EQ(left.exit, 1);
    EXPECT_NE(left.out.find("unreadable tok"), std::string::npos) << left.out;
  }
  {
    ServeProcess server(serve_words(), with(new_key + "," + old_key));
    EXPECT_EQ(failure(server, start(server, file)), "completed");
    EXPECT_EQ(value_of(server.command({"credentials", "reseal", "--json"})).get("resealed"),
              Value(1));
  }
  ServeProcess server(serve_words(), with(new_key));
  EXPECT_EQ(failure(server, start(server, file)), "completed");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("data") + "/secrets.key"));
  Finished shown = fermata({"serve", "--print-config"}, with(new_key));
  EXPECT_EQ(shown.out.find("bbbb"), std::string::npos);
  EXPECT_NE(shown.out.find("FERMATA_SECRETS_KEY"), std::string::npos);
}

// A-20
TEST_F(CredentialCommands, secrets_come_from_standard_input_or_a_file_only) {
  ServeProcess server(serve_words());
  auto run = [&](std::vector<std::string> words, const std::string& input) {
    words.insert(words.begin(), "credentials");
    return server.command(words, {}, input);
  };
  EXPECT_EQ(run({"set", "a", "--type", "token", "--set", "token=x"}, "").exit, 2);
  EXPECT_EQ(run({"set", "a", "--type", "token", "--values", "s3cret"}, "").exit, 2);
  EXPECT_EQ(run({"set", "a", "--type", "token"}, "").exit, 2);
  EXPECT_EQ(run({"set", "a", "--type", "tokn"}, "x").exit, 2);
  EXPECT_EQ(run({"set", "a"}, "x").exit, 2);
  EXPECT_EQ(run({"set", "a", "--type", "smtp"}, "x").exit, 4);
  EXPECT_EQ(run({"set", "a", "--type", "custom"}, "x").exit, 2);
  EXPECT_EQ(run({"set", "a", "--type", "token", "--values", "@/nowhere"}, "").exit, 2);
  EXPECT_EQ(run({"revoke", "a"}, "").exit, 3);
  EXPECT_EQ(run({"remove", "a"}, "").exit, 3);
  EXPECT_EQ(run({"show", "a"}, "").exit, 2);

  std::string file = write_file(scratch.path("secret"), "from-a-file\n");
  Finished made = run({"set", "a", "--type", "token", "--name", "A", "--values", "@" + file}, "");
  EXPECT_EQ(made.out, "a is set (token)\n") << made.err;
  EXPECT_EQ(run({"set", "b", "--type", "basic_auth"}, R"({"username":"u","password":"p"})").exit,
            0);
  Finished listed = run({"list"}, "");
  EXPECT_NE(listed.out.find("basic_auth"), std::string::npos) << listed.out;
  EXPECT_EQ(value_of(run({"list", "--json"}, "")).get("items").size(), 2u);
  EXPECT_EQ(run({"revoke", "a"}, "").out, "a is revoked\n");
  EXPECT_EQ(run({"remove", "a"}, "").out, "a is removed\n");
  EXPECT_EQ(value_of(run({"list", "--json"}, "")).get("items").size(), 1u);
}

TEST_F(CredentialCommands, work_on_a_data_directory_without_a_server) {
  std::string data = scratch.path("data");
  auto run = [&](std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), "credentials");
    words.insert(words.end(), {"--data", data});
    return fermata(words, {}, input);
  };
  EXPECT_EQ(run({"set", "tok", "--type", "token"}, "s3cret-token").exit, 0);
  EXPECT_EQ(run({"set", "tok"}, "s3cret-other").exit, 0);
  EXPECT_EQ(run({"set", "other", "--type", "token", "--account", "b"}, "x").exit, 0);
  EXPECT_EQ(value_of(run({"list", "--json"})).get("items").items()[0].get("revision"), Value(2));
  EXPECT_EQ(value_of(run({"reseal", "--json"})).get("kept"), Value(2));
  std::string file = graph_file(calling_graph(target.url("/"), {R"({"id":"tok"})"}));
  {
    ServeProcess server(serve_words());
    EXPECT_EQ(failure(server, start(server, file)), "completed");
    EXPECT_EQ(target.requests()[0].header("authorization"), "Bearer s3cret-other");
    EXPECT_EQ(run({"list"}).exit, 5);
    EXPECT_EQ(server.stop(), 0);
  }
  EXPECT_TRUE(
      value_of(run({"list", "--json"})).get("items").items()[0].get("last_used_at").is_string());
  EXPECT_EQ(run({"revoke", "tok"}).exit, 0);
  EXPECT_EQ(run({"remove", "tok"}).exit, 0);
  EXPECT_EQ(run({"remove", "tok"}).exit, 3);
}

// G-4: a file with values runs without a server too; nothing is kept.
TEST_F(CredentialCommands, values_in_a_file_are_used_by_a_local_run) {
  std::string file = graph_file(
      calling_graph(target.url("/"), {R"({"id":"k","values":{"token":"s3cret-local"}})"}));
  Finished checked = fermata({"check", file});
  EXPECT_EQ(checked.exit, 0) << checked.out;
  EXPECT_NE(checked.out.find("credential_inlined"), std::string::npos);
  Finished finished = fermata({"run", file, "--json"});
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_EQ(target.requests().at(0).header("authorization"), "Bearer s3cret-local");
  EXPECT_EQ((finished.out + finished.err).find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace fermata::test
