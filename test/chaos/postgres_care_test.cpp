#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "base/hash.h"
#include "base/json.h"
#include "test/chaos/load.h"
#include "test/postgres/postgres_server.h"

/// What people do with a store in PostgreSQL beside serving it: check, migrate, save, restore.
namespace fermata::test {
namespace {

constexpr const char* long_wait = R"({"nodes":[
  {"id":"t","type":"manual","trigger":true},
  {"id":"w","type":"wait","parameters":{"amount":3600}}],
 "edges":[{"id":"1","src":"t","dst":"w"}]})";

// C-16: a server that cannot have its connections is told at once; one that has no room beside it
// is warned.
TEST(PostgresCare, too_few_connections_are_told_at_the_start) {
  PostgresServer small({"max_connections=8", "superuser_reserved_connections=3"});
  ASSERT_TRUE(small.start()) << small.log();
  Ran refused = run_fermata({"serve", "--listen", "127.0.0.1:0", "--store", small.url()});
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_NE(refused.output.find("max_connections"), std::string::npos) << refused.output;
  PostgresServer tight({"max_connections=15", "superuser_reserved_connections=3"});
  ASSERT_TRUE(tight.start()) << tight.log();
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data", {"--store", tight.url()});
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_NE(server.log().find("a second one would not find enough"), std::string::npos)
      << server.log();
  EXPECT_EQ(server.stop_softly(), 0);
}

// C-21: by hand, with a plan before.
TEST(PostgresCare, migrations_by_hand_are_planned_and_applied) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  std::vector<std::string> manual = {"serve",   "--listen",     "127.0.0.1:0",
                                     "--store", database.url(), "--migrate=manual"};
  Ran refused = run_fermata(manual);
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_NE(refused.output.find("fermata migrate"), std::string::npos) << refused.output;
  Ran plan = run_fermata({"migrate", "--plan", "--store", database.url()});
  EXPECT_EQ(plan.code, 0) << plan.output;
  EXPECT_NE(plan.output.find("pending roots"), std::string::npos) << plan.output;
  EXPECT_EQ(database.number("select count(*) from pg_tables where schemaname = 'fermata'"), 0);
  Ran made = run_fermata({"migrate", "--store", database.url()});
  EXPECT_EQ(made.code, 0) << made.output;
  Ran again = run_fermata({"migrate", "--store", database.url()});
  EXPECT_NE(again.output.find("nothing to do"), std::string::npos) << again.output;
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data",
                       {"--store", database.url(), "--migrate", "manual"});
  EXPECT_TRUE(server.start()) << server.log();
  EXPECT_EQ(server.stop_softly(), 0);
}

// C-108, C-234: saved while it is served, restored elsewhere with the epoch raised.
TEST(PostgresCare, backup_of_a_served_store_is_restored_whole_under_a_new_epoch) {
  PostgresServer database, other;
  ASSERT_TRUE(database.start()) << database.log();
  ASSERT_TRUE(other.start()) << other.log();
  TemporaryDirectory directory;
  std::string file = directory.path() / "nightly.fermata";
  ServerProcess server(directory.path() / "data", {"--store", database.url()});
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", long_wait).status, 300);
  ASSERT_LT(
      request(server.port(), "PUT", "/api/v1/contacts/c-17", R"({"email":"a@b.example"})").status,
      300);
  Load load(server.port(), "{}");
  ASSERT_TRUE(await(20, [&] { return load.answered().size() > 40; })) << server.log();
  std::vector<std::string> before = load.answered();
  Ran saved = run_fermata({"backup", file, "--store", database.url()});
  ASSERT_EQ(saved.code, 0) << saved.output;
  load.stop();
  EXPECT_NE(run_fermata({"backup", file, "--store", database.url()}).code, 0);
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  {
    // What it would be asked to forget, it would not know of.
    ServerProcess early(directory.path() / "early",
                        {"--store", other.url(), "--postgres-schema", "early"});
    ASSERT_TRUE(early.start()) << early.log();
    Ran beside =
        run_fermata({"restore", file, "--store", other.url(), "--postgres-schema", "early"});
    EXPECT_NE(beside.code, 0);
    EXPECT_NE(beside.output.find("is served by"), std::string::npos) << beside.output;
    EXPECT_EQ(early.stop_softly(), 0) << early.log();
  }

  Ran restored = run_fermata({"restore", file, "--store", other.url()});
  ASSERT_EQ(restored.code, 0) << restored.output;
  EXPECT_NE(restored.output.find("idempotency keys"), std::string::npos) << restored.output;
  EXPECT_NE(run_fermata({"restore", file, "--store", other.url()}).code, 0);
  Ran verified = run_fermata({"verify", "--store", other.url()});
  EXPECT_EQ(verified.code, 0) << verified.output;
  ServerProcess next(directory.path() / "next", {"--store", other.url()});
  ASSERT_TRUE(next.start()) << next.log();
  EXPECT_EQ(request(next.port(), "GET", "/api/v1/system").body.get("store").get("epoch"),
            Value(int64_t{1}));
  for (const std::string& id : before)
    EXPECT_EQ(request(next.port(), "GET", "/api/v1/executions/" + id).status, 200) << id;
  EXPECT_EQ(request(next.port(), "GET", "/api/v1/contacts/c-17").status, 200);
  Load more(next.port(), "{}");
  EXPECT_TRUE(await(20, [&] { return more.answered().size() > 10; })) << next.log();
  more.stop();
  EXPECT_EQ(next.stop_softly(), 0) << next.log();
}

TEST(PostgresCare, damaged_backup_restores_nothing) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "nightly.fermata";
  ASSERT_EQ(run_fermata({"migrate", "--store", database.url()}).code, 0);
  ASSERT_EQ(run_fermata({"keys", "create", "--store", database.url()}).code, 0);
  ASSERT_EQ(run_fermata({"backup", file, "--store", database.url()}).code, 0);
  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(bytes.size(), 500u);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  Ran refused = run_fermata({"restore", file, "--store", database.url(), "--postgres-schema", "x"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("damaged"), std::string::npos) << refused.output;
  EXPECT_EQ(database.number("select count(*) from pg_tables where schemaname = 'x'"), 0);
}

/// A backup whose only table has this name, with a digest that fits.
void forge_backup(const std::filesystem::path& file, const std::string& table) {
  Value tables = Value::array();
  tables.push(Value::object({{"name", table}, {"columns", "id"}}));
  std::string head =
      to_json(Value::object({{"schema", 1}, {"epoch", 0}, {"tables", std::move(tables)}}));
  std::array<uint8_t, 32> digest{};
  std::ofstream out(file, std::ios::binary);
  for (const std::string& part :
       {std::string("Fermata: a store of PostgreSQL\n"), head + "\n", std::string(4, '\0')}) {
    digest = sha256(std::string(digest.begin(), digest.end()) + part);
    out << part;
  }
  out << hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

TEST(PostgresCare, backup_that_names_what_is_no_table_runs_nothing) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "forged.fermata";
  ASSERT_TRUE(database.run("create table precious (id int); insert into precious values (1)"));
  for (const char* name : {"roots; drop table public.precious; --", "leases", "public.precious"}) {
    std::filesystem::remove(file);
    forge_backup(file, name);
    Ran refused = run_fermata({"restore", file, "--store", database.url()});
    EXPECT_NE(refused.code, 0) << name;
    EXPECT_NE(refused.output.find("which a store does not have"), std::string::npos)
        << refused.output;
  }
  EXPECT_EQ(database.number("select count(*) from precious"), 1);
}

// What verify looks for is found: a row that was changed by hand.
TEST(PostgresCare, verify_finds_what_was_changed_by_hand) {
  PostgresServer database;
  ASSERT_TRUE(database.start()) << database.log();
  TemporaryDirectory directory;
  {
    ServerProcess server(directory.path() / "data", {"--store", database.url()});
    ASSERT_TRUE(server.start()) << server.log();
    ASSERT_LT(request(server.port(), "PUT", "/api/v1/workflows/chaos", long_wait).status, 300);
    Load load(server.port(), "{}");
    ASSERT_TRUE(await(20, [&] { return load.answered().size() > 5; })) << server.log();
    load.stop();
    EXPECT_EQ(server.stop_softly(), 0);
  }
  EXPECT_EQ(run_fermata({"verify", "--store", database.url()}).code, 0);
  ASSERT_TRUE(
      database.run("update fermata.history set bytes = '\\x00' where root = (select "
                   "min(number) from fermata.roots where kind = 0)"));
  Ran found = run_fermata({"verify", "--store", database.url()});
  EXPECT_EQ(found.code, 1) << found.output;
  EXPECT_NE(found.output.find("problem"), std::string::npos) << found.output;
}

}  // namespace
}  // namespace fermata::test
