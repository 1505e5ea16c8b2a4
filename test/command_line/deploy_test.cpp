#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "adapters/yaml/yaml_text.h"
#include "cli/command.h"
#include "cli/settings.h"

/// What is shipped to run servers names settings, flags and commands that the program has.
namespace fermata::test {
namespace {

const std::filesystem::path deploy = "deploy";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& file : std::filesystem::directory_iterator(deploy / folder))
    out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::set<std::string> found_in(const std::string& text, const char* pattern) {
  const std::regex wanted(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
    out.insert((*at)[1].str());
  return out;
}

bool is_setting(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (const cli::Option& option : cli::setting_options())
    if (option.name == name) return true;
  return false;
}

bool is_option(const std::string& command, const std::string& name) {
  const cli::CliCommand* known = cli::find_command(command);
  if (known == nullptr) return false;
  return std::any_of(known->options.begin(), known->options.end(),
                     [&](const cli::Option& option) { return option.name == name; });
}

/// Without comments, which may speak of anything.
std::string without_comments(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)\\s*#[^\n]*"), "$1");
}

void expect_yaml(const std::filesystem::path& file) {
  std::string text = text_of(file);
  size_t documents = 0;
  for (size_t at = 0; at < text.size(); ++documents) {
    size_t end = text.find("\n---\n", at);
    if (end == std::string::npos) end = text.size();
    // Compose knows anchors, which the reader of policies refuses.
    std::string document =
        std::regex_replace(text.substr(at, end - at), std::regex(" &[a-z]+"), "");
    document = std::regex_replace(document, std::regex("<<: "), "merged: ");
    document = std::regex_replace(document, std::regex(": \\*[a-z]+"), ": true");
    auto read = read_yaml(document);
    EXPECT_TRUE(read) << file << ": " << read.error().message;
    at = end + 5;
  }
  EXPECT_GE(documents, 1u) << file;
}

void expect_known_words(const std::filesystem::path& file, const std::string& text) {
  for (const std::string& name : found_in(text, "FERMATA_([A-Z_]+)"))
    EXPECT_TRUE(is_setting(name)) << file << ": FERMATA_" << name;
  for (const std::string& image : found_in(text, "image: (fermata[^\\s]*)"))
    EXPECT_EQ(image, "fermata:" + std::string(cli::program_version)) << file;
}

// C-3, C-4: one of each for every topology, and all of it can be read.
TEST(DeployFiles, every_topology_has_its_files_and_names_what_there_is) {
  for (const char* folder : {"compose", "kubernetes"}) {
    std::vector<std::filesystem::path> files = files_in(folder);
    ASSERT_EQ(files.size(), 4u) << folder;
    const char* topologies = "abcd";
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(files[i].filename().string()[0], topologies[i]);
      expect_yaml(files[i]);
      std::string text = without_comments(text_of(files[i]));
      expect_known_words(files[i], text);
      // What each topology adds, and that it does not have what the next one adds.
      EXPECT_NE(text.find("postgres://"), std::string::npos) << files[i];
      EXPECT_EQ(text.find("redis://") != std::string::npos, i >= 1) << files[i];
      EXPECT_EQ(text.find("amqp://") != std::string::npos, i >= 2) << files[i];
      EXPECT_EQ(text.find("nats://") != std::string::npos, i >= 3) << files[i];
      // Where it listens is where it is asked.
      EXPECT_EQ(found_in(text, "FERMATA_LISTEN: \"?0\\.0\\.0\\.0:(\\d+)"),
                std::set<std::string>{"4747"})
          << files[i];
    }
  }
  for (const auto& file : files_in("compose")) {
    std::string text = without_comments(text_of(file));
    for (const std::string& port : found_in(text, "127\\.0\\.0\\.1:\\d+:(\\d+)"))
      EXPECT_EQ(port, "4747") << file;
    // Secrets that are used are declared.
    for (const std::string& secret : found_in(text, "/run/secrets/([a-z_]+)"))
      EXPECT_NE(text.find("\n  " + secret + ": {file: "), std::string::npos) << file << secret;
  }
  for (const auto& file : files_in("kubernetes")) {
    std::string text = without_comments(text_of(file));
    EXPECT_EQ(found_in(text, "containerPort: (\\d+)"), std::set<std::string>{"4747"}) << file;
    // What a Service named like the program puts into pods would be taken for settings.
    size_t pods = 0, without_links = 0;
    for (size_t at = 0; (at = text.find("containers:", at)) != std::string::npos; ++at) ++pods;
    for (size_t at = 0; (at = text.find("enableServiceLinks: false", at)) != std::string::npos;
         ++at)
      ++without_links;
    EXPECT_EQ(without_links, pods) << file;
    for (const std::string& path : found_in(text, "path: (/[a-z]+), port"))
      EXPECT_TRUE(path == "/healthz" || path == "/readyz") << file << path;
  }
}

TEST(DeployFiles, commands_and_flags_are_those_of_the_program) {
  for (const char* folder : {"compose", "kubernetes"})
    for (const auto& file : files_in(folder)) {
      std::string text = without_comments(text_of(file));
      for (const std::string& words : found_in(text, "(?:command|args): \\[\"(keys[^\\]]*)\\]"))
        for (const std::string& flag : found_in(words, "\"--([a-z-]+)\""))
          EXPECT_TRUE(is_option("keys", flag)) << file << " --" << flag;
      for (const std::string& word : found_in(text, "args: \\[\"([a-z]+)\""))
        EXPECT_NE(cli::find_command(word), nullptr) << file << word;
    }
  std::vector<std::filesystem::path> units = files_in("systemd");
  EXPECT_EQ(units.size(), 2u);
  for (const auto& file : units) {
    std::string text = without_comments(text_of(file));
    std::set<std::string> started =
        found_in(text, "ExecStart=/usr/local/bin/fermata (serve[^\n]*)");
    ASSERT_EQ(started.size(), 1u) << file;
    for (const std::string& flag : found_in(*started.begin(), "--([a-z-]+)"))
      EXPECT_TRUE(is_option("serve", flag)) << file << " --" << flag;
    for (const char* part : {"[Unit]", "[Service]", "[Install]"})
      EXPECT_NE(text.find(part), std::string::npos) << file << part;
  }
  std::string image = text_of(deploy / "Dockerfile");
  EXPECT_NE(image.find("EXPOSE 4747"), std::string::npos);
  EXPECT_NE(image.find("CMD [\"serve\"]"), std::string::npos);
}

/// Debian names a library's package after its file, and puts a line between two digits.
std::string package_of(const std::string& library) {
  if (library == "libz.so.1") return "zlib1g";
  if (library == "libcrypto.so.3") return "libssl3";
  size_t dot = library.find(".so.");
  std::string name = library.substr(0, dot), version = library.substr(dot + 4);
  return name + (std::isdigit(static_cast<unsigned char>(name.back())) ? "-" : "") + version;
}

TEST(DeployFiles, image_has_the_libraries_that_the_program_needs) {
  const char* program = std::getenv("FERMATA_BINARY");
  ASSERT_NE(program, nullptr);
  FILE* listing = popen(("readelf -d " + std::string(program)).c_str(), "r");
  ASSERT_NE(listing, nullptr);
  std::string text(1 << 16, '\0');
  text.resize(fread(text.data(), 1, text.size(), listing));
  ASSERT_EQ(pclose(listing), 0);
  std::set<std::string> libraries = found_in(text, "NEEDED.*\\[(lib[^\\]]+)\\]");
  ASSERT_TRUE(libraries.contains("libpq.so.5")) << text;
  std::string image = text_of(deploy / "Dockerfile");
  const std::set<std::string> in_every_image = {"libc.so.6", "libm.so.6", "libgcc_s.so.1",
                                                "libstdc++.so.6"};
  for (const std::string& library : libraries)
    if (!in_every_image.contains(library))
      EXPECT_NE(image.find(" " + package_of(library) + " "), std::string::npos) << library;
}

}  // namespace
}  // namespace fermata::test
