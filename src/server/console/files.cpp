#include "server/console/files.h"

#include <algorithm>
#include <charconv>
#include <optional>

extern "C" {
extern const char fermata_console_begin[];
extern const char fermata_console_end[];
}

namespace fermata::server {
namespace {

constexpr size_t files_max = 10'000;

/// Takes the text up to `end` and `end` itself off the front.
std::string_view cut(std::string_view& rest, char end) {
  size_t at = rest.find(end);
  std::string_view word = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return word;
}

std::optional<size_t> number_of(std::string_view text) {
  size_t number = 0;
  auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (mistake != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Entry {
  ConsoleFile file;
  size_t sizes[3] = {};
};

std::optional<Entry> entry_of(std::string_view line) {
  Entry entry;
  entry.file.path = cut(line, '\t');
  entry.file.media_type = cut(line, '\t');
  entry.file.etag = cut(line, '\t');
  for (size_t& size : entry.sizes) {
    auto number = number_of(cut(line, '\t'));
    if (!number) return std::nullopt;
    size = *number;
  }
  if (!entry.file.path.starts_with('/')) return std::nullopt;
  return entry;
}

std::vector<ConsoleFile> read(std::string_view bundle) {
  if (cut(bundle, '\n') != "FCONSOLE1") return {};
  auto count = number_of(cut(bundle, '\n'));
  if (!count || *count > files_max) return {};
  std::vector<Entry> entries;
  for (size_t i = 0; i < *count; ++i) {
    auto entry = entry_of(cut(bundle, '\n'));
    if (!entry) return {};
    entries.push_back(*entry);
  }
  std::vector<ConsoleFile> out;
  for (Entry& entry : entries) {
    std::string_view* forms[] = {&entry.file.plain, &entry.file.gzip, &entry.file.brotli};
    for (size_t i = 0; i < 3; ++i) {
      if (entry.sizes[i] > bundle.size()) return {};
      *forms[i] = bundle.substr(0, entry.sizes[i]);
      bundle.remove_prefix(entry.sizes[i]);
    }
    out.push_back(entry.file);
  }
  return out;
}

}  // namespace

ConsoleFiles::ConsoleFiles(std::string_view bundle) : files_(read(bundle)) {
  std::sort(files_.begin(), files_.end(),
            [](const ConsoleFile& a, const ConsoleFile& b) { return a.path < b.path; });
}

const ConsoleFiles& ConsoleFiles::bundled() {
  static const ConsoleFiles files(
      {fermata_console_begin, static_cast<size_t>(fermata_console_end - fermata_console_begin)});
  return files;
}

const ConsoleFile* ConsoleFiles::find(std::string_view path) const {
  auto found = std::lower_bound(
      files_.begin(), files_.end(), path,
      [](const ConsoleFile& file, std::string_view wanted) { return file.path < wanted; });
  return found != files_.end() && found->path == path ? &*found : nullptr;
}

}  // namespace fermata::server
