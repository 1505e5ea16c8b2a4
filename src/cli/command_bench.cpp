#include <unistd.h>

#include <filesystem>

#include "cli/command.h"

namespace fermata::cli {
namespace {

Exit bench(const Arguments& arguments, Surroundings& around) {
  std::filesystem::path sibling =
      std::filesystem::path(around.program).parent_path() / "fermata_bench";
  if (access(sibling.c_str(), X_OK) != 0)
    return around.terminal.fail(
        {ErrorCode::io_failed, sibling.string() + " is not there; `./dev bench` builds it.", {}});
  std::vector<std::string> words = {sibling.string()};
  words.insert(words.end(), arguments.positional().begin(), arguments.positional().end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(sibling.c_str(), pointers.data());
  return around.terminal.fail({ErrorCode::io_failed, sibling.string() + " cannot be run.", {}});
}

}  // namespace

CliCommand bench_command() {
  return {"bench",
          "[ARGUMENTS]",
          "Measure this machine (runs fermata_bench, which stands beside this program).",
          "All words after it are handed on.",
          {},
          "fermata bench core",
          bench};
}

}  // namespace fermata::cli
