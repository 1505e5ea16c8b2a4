#include "adapters/tzdata/directory.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "adapters/tzdata/tzif.h"
#include "base/hash.h"

namespace fermata {
namespace {

namespace fs = std::filesystem;

constexpr int directory_depth_max = 4;
constexpr size_t version_bytes_max = 64;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// At most `most` bytes and one more, so that a longer file shows.
std::optional<std::string> beginning_of(const std::string& path, size_t most) {
  std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return std::nullopt;
  std::string bytes(most + 1, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return std::ferror(file.get()) == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

/// The release that the directory says it is.
std::string version_in(const std::string& path) {
  for (std::string_view file : {"/tzdata.zi", "/+VERSION"}) {
    auto text = beginning_of(path + std::string(file), version_bytes_max);
    if (!text) continue;
    std::string_view line(*text);
    line = line.substr(0, line.find('\n'));
    constexpr std::string_view mark = "# version ";
    if (line.starts_with(mark)) line.remove_prefix(mark.size());
    // Distributions add their own words after a dash.
    line = line.substr(0, line.find_first_of("- \t"));
    if (is_newer_release(line, "unknown")) return std::string(line);
  }
  return "unknown";
}

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+';
  });
}

bool is_left_out(std::string_view name) {
  return name == "posix" || name == "right" || name == "localtime" || name == "posixrules" ||
         name == "+VERSION" || !is_zone_name(name);
}

class Walk {
 public:
  explicit Walk(ZoneDirectory& found) : found_(found) {}

  Result<void, std::string> folder(const fs::path& path, const std::string& prefix, int depth) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (entries.size() >= zone_files_max) return Failure{too_much()};
      entries.push_back(at->path());
    }
    if (error) return Failure{path.string() + " cannot be read: " + error.message()};
    // The order of a directory is nobody's; names in order make the same fingerprint each time.
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) FERMATA_TRY_VOID(one(entry, prefix, depth));
    return {};
  }
  std::string fingerprint() const { return sha256_hex(seen_); }
  void see(const fs::path& path) {
    struct stat state{};
    if (stat(path.c_str(), &state) != 0) return;
    seen_ += path.string() + "|" + std::to_string(state.st_mtim.tv_sec) + "." +
             std::to_string(state.st_mtim.tv_nsec) + "|" + std::to_string(state.st_size) + "|" +
             std::to_string(state.st_ino) + "\n";
  }

 private:
  Result<void, std::string> one(const fs::path& entry, const std::string& prefix, int depth) {
    std::string name = entry.filename().string();
    if (is_left_out(name)) return {};
    std::error_code error;
    if (fs::is_directory(entry, error)) {
      if (depth >= directory_depth_max) return {};
      return folder(entry, prefix + name + "/", depth + 1);
    }
    if (!fs::is_regular_file(entry, error)) return {};
    if (found_.files.size() >= zone_files_max) return Failure{too_much()};
    see(entry);
    found_.files.push_back({prefix + name, entry.string()});
    return {};
  }
  std::string too_much() const {
    return found_.path + " holds more than " + std::to_string(zone_files_max) +
           " files; it is no directory of zones";
  }

  ZoneDirectory& found_;
  std::string seen_;
};

}  // namespace

Result<ZoneDirectory, std::string> look_at_zones(const std::string& path) {
  ZoneDirectory found;
  found.path = path;
  found.version = version_in(path);
  Walk walk(found);
  walk.see(path + "/tzdata.zi");
  walk.see(path + "/+VERSION");
  FERMATA_TRY_VOID(walk.folder(path, "", 1));
  found.fingerprint = walk.fingerprint();
  return found;
}

Result<ReadZones, std::string> read_zones(const ZoneDirectory& directory) {
  ReadZones read;
  // Names of one zone often share a file or its content.
  std::map<std::string, std::shared_ptr<const Zone>> by_content;
  for (const ZoneFile& file : directory.files) {
    auto bytes = beginning_of(file.path, tzif_bytes_max);
    if (!bytes) {
      read.problems.push_back(file.path + " cannot be read");
      continue;
    }
    if (!bytes->starts_with("TZif")) continue;
    auto [known, fresh] = by_content.try_emplace(sha256_hex(*bytes));
    if (fresh) {
      auto zone = read_tzif(*bytes);
      if (zone)
        known->second = std::make_shared<const Zone>(*std::move(zone));
      else
        read.problems.push_back(file.path + " is left out: " + zone.error());
    }
    if (known->second) read.zones.emplace_back(file.name, known->second);
  }
  if (read.zones.empty()) return Failure{directory.path + " holds no compiled zones"};
  return read;
}

}  // namespace fermata
