#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/console/answer.h"
#include "server/console/folder.h"
#include "server/http/parser.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

std::string bundle() {
  std::string out = "FCONSOLE1\n2\n";
  out += "/index.html\ttext/html; charset=utf-8\t\"i1\"\t4\t0\t2\n";
  out += "/assets/a-1.js\ttext/javascript\t\"a1\"\t5\t3\t2\n";
  return out + "pageBP" + "plain" + "GZ1" + "BR";
}

struct Asked {
  http::Request request;
  std::optional<http::Response> answer;
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : answer->headers)
      if (key == name) return value;
    return {};
  }
};

std::unique_ptr<Asked> ask(std::string_view line, std::string_view headers = "") {
  static const std::string text = bundle();
  static const ConsoleFiles files(text);
  auto asked = std::make_unique<Asked>();
  http::ParserLimits limits;
  http::RequestParser parser(limits);
  parser.feed(std::string(line) + " HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n",
              asked->request);
  asked->answer = console_answer(asked->request, files);
  return asked;
}

TEST(Console, an_address_of_a_page_gives_the_page) {  // U-2
  for (const char* path : {"/", "/runs", "/runs/01-ab?tab=history", "/jobs/01-ab.3",
                           "/contacts/ada@example.org", "/index.html"}) {
    auto asked = ask(std::string("GET ") + path);
    ASSERT_TRUE(asked->answer) << path;
    EXPECT_EQ(asked->answer->body, "page");
    EXPECT_EQ(asked->header("Cache-Control"), "no-cache");
  }
}

TEST(Console, what_is_no_page_is_left_alone) {
  for (const char* line :
       {"GET /api/v1/nothing", "GET /api", "GET /assets/gone-2.js", "GET /robots.txt",
        "GET /.well-known/x", "POST /runs", "GET /webhook/x/y"})
    EXPECT_FALSE(ask(line)->answer) << line;
}

TEST(Console, files_come_in_the_form_the_browser_reads) {  // U-84
  auto plain = ask("GET /assets/a-1.js");
  EXPECT_EQ(plain->answer->body, "plain");
  EXPECT_EQ(plain->header("Content-Encoding"), "");
  EXPECT_EQ(plain->header("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(ask("GET /assets/a-1.js", "Accept-Encoding: gzip, deflate\r\n")->answer->body, "GZ1");
  auto brotli = ask("GET /assets/a-1.js", "Accept-Encoding: gzip, br;q=0.9\r\n");
  EXPECT_EQ(brotli->answer->body, "BR");
  EXPECT_EQ(brotli->header("Content-Encoding"), "br");
  EXPECT_EQ(ask("GET /assets/a-1.js", "Accept-Encoding: br;q=0, gzip\r\n")->answer->body, "GZ1");
  EXPECT_EQ(ask("GET /", "Accept-Encoding: gzip\r\n")->answer->body, "page");
}

TEST(Console, an_unchanged_file_is_not_sent_again) {  // U-84
  auto asked = ask("GET /", "If-None-Match: \"i1\"\r\n");
  EXPECT_EQ(asked->answer->status, 304);
  EXPECT_EQ(asked->answer->body, "");
  EXPECT_EQ(asked->header("ETag"), "\"i1\"");
}

TEST(Console, pages_may_load_and_run_nothing_but_their_own) {  // U-74
  auto asked = ask("GET /");
  std::string policy = asked->header("Content-Security-Policy");
  for (const char* part : {"default-src 'none'", "script-src 'self'", "style-src 'self'",
                           "frame-ancestors 'none'", "require-trusted-types-for 'script'"})
    EXPECT_NE(policy.find(part), policy.npos) << part;
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  EXPECT_EQ(asked->header("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(asked->header("Cross-Origin-Opener-Policy"), "same-origin");
}

TEST(Console, a_damaged_bundle_holds_no_files) {
  std::string whole = bundle();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(ConsoleFiles(std::string_view(whole).substr(0, size)).empty()) << size;
  EXPECT_TRUE(ConsoleFiles("FCONSOLE1\n1\nno-slash\ta\tb\t0\t0\t0\n").empty());
  EXPECT_EQ(ConsoleFiles(whole).all().size(), 2u);
}

TEST(Console, without_its_files_the_server_says_how_to_add_it) {  // U-84
  TestWorld world;
  auto page = world.ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  if (!ConsoleFiles::bundled().empty()) return;
  EXPECT_NE(page.text.find("without the console"), page.text.npos);
}

TEST(Console, files_of_a_folder_are_served_and_nothing_above_it) {  // U-84
  namespace fs = std::filesystem;
  fs::path root = fs::path(testing::TempDir()) / "fermata-console-dir";
  fs::remove_all(root);
  fs::create_directories(root / "dist" / "assets");
  std::ofstream(root / "secret.js") << "secret";
  std::ofstream(root / "dist" / "assets" / "a.js") << "code";
  auto asked = [&](std::string_view line) {
    auto out = ask(line);
    out->answer = folder_answer(out->request, (root / "dist").string());
    return out;
  };
  EXPECT_FALSE(asked("GET /runs")->answer) << "without a page there is nothing to show";
  std::ofstream(root / "dist" / "index.html") << "page";
  EXPECT_EQ(asked("GET /runs/x")->answer->body, "page");
  EXPECT_EQ(asked("GET /")->header("Cache-Control"), "no-cache");
  EXPECT_EQ(asked("GET /assets/a.js")->answer->body, "code");
  EXPECT_EQ(asked("GET /assets/a.js")->answer->content_type, "text/javascript; charset=utf-8");
  EXPECT_NE(asked("GET /")->header("Content-Security-Policy"), "");
  for (const char* line :
       {"GET /assets/../../secret.js", "GET /assets/gone.js", "POST /runs", "GET /api/v1/nothing"})
    EXPECT_FALSE(asked(line)->answer) << line;
  fs::remove_all(root);
}

}  // namespace
}  // namespace fermata::server
