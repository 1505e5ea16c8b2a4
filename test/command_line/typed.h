#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "test/command_line/process.h"

/// Pages as their readers use them: what stands in them is typed into a shell.
namespace fermata::test {

inline std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The blocks of a page in their order, by the word behind the three ticks.
inline std::vector<std::string> blocks(const std::string& path, const std::string& kind = "sh") {
  const std::string page = content(path), begin = "```" + kind + "\n", end = "```\n";
  std::vector<std::string> found;
  for (size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    size_t stop = page.find(end, at);
    if (stop == std::string::npos) break;
    found.push_back(page.substr(at, stop - at));
    at = stop + end.size();
  }
  return found;
}

inline std::string block_with(const std::string& path, const std::string& word,
                              const std::string& kind = "sh") {
  for (const std::string& block : blocks(path, kind))
    if (block.find(word) != std::string::npos) return block;
  ADD_FAILURE() << "no block of " << path << " has " << word;
  return "";
}

/// Types lines into a shell whose `fermata` is the program under test and speaks to `server`.
/// `folder`: where, empty for where the tests are run.
inline Finished typed(const std::string& lines, const ServeProcess& server,
                      const std::string& folder = "") {
  Scratch scratch;
  std::string script = scratch.path("script"), out = scratch.path("out"), err = scratch.path("err");
  // A program and not a function: a job in the background is then the program itself.
  std::filesystem::create_symlink(std::filesystem::absolute(getenv("FERMATA_BINARY")),
                                  scratch.path("fermata"));
  std::ofstream text(script);
  // What a block leaves in the background ends with it, as with the terminal of its reader.
  text << "set -e\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
       << "export FERMATA_SERVER=" << server.url() << " PATH=\"" << scratch.path("")
       << ":$PATH\"\n";
  if (!folder.empty()) text << "cd \"" << folder << "\"\n";
  text << replaced(replaced(lines, "build/release/fermata", "fermata"), "curl ",
                   "curl --silent --show-error --fail-with-body ");
  text.close();
  int status = system(("timeout 60 bash " + script + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

}  // namespace fermata::test
