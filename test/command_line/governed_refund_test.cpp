#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fermata::test {
namespace {

// J-6, J-22, J-40, J-73
TEST(GovernedRefund, denies_constrains_asks_and_undoes) {
  std::string command =
      "examples/governed-refund/run.sh " + std::string(std::getenv("FERMATA_BINARY")) + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  std::array<char, 4096> part{};
  for (size_t read; (read = fread(part.data(), 1, part.size(), pipe)) > 0;)
    said.append(part.data(), read);
  int status = pclose(pipe);
  ASSERT_TRUE(WIFEXITED(status)) << said;
  EXPECT_EQ(WEXITSTATUS(status), 0) << said;
  EXPECT_NE(said.find("all as it should be"), std::string::npos) << said;
}

}  // namespace
}  // namespace fermata::test
