#include "adapters/tzdata/bundle.h"

#include <charconv>

#include "adapters/tzdata/tzif.h"

extern "C" {
extern const char fermata_zones_begin[];
extern const char fermata_zones_end[];
}

namespace fermata {
namespace {

constexpr std::string_view bundle_magic = "FZONES1";
constexpr size_t bundle_names_max = 10'000;

class Lines {
 public:
  explicit Lines(std::string_view bytes) : rest_(bytes) {}
  std::string_view next() {
    size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::optional<size_t> number_of(std::string_view text) {
  size_t number = 0;
  auto [end, mistake] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (mistake != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The two words of a line.
std::pair<std::string_view, std::string_view> halves(std::string_view line) {
  size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return {line, {}};
  return {line.substr(0, space), line.substr(space + 1)};
}

Failure<std::string> damaged(std::string_view what) {
  return {"the bundled zone data is damaged: " + std::string(what)};
}

struct Counts {
  size_t names = 0;
  size_t zones = 0;
};

std::optional<Counts> counts_of(std::string_view line) {
  auto [first, second] = halves(line);
  auto names = number_of(first), zones = number_of(second);
  if (!names || !zones || *names > bundle_names_max || *zones > *names) return std::nullopt;
  return Counts{*names, *zones};
}

}  // namespace

std::string_view bundled_zone_bytes() {
  return {fermata_zones_begin, static_cast<size_t>(fermata_zones_end - fermata_zones_begin)};
}

std::string_view bundle_version(std::string_view bytes) {
  Lines lines(bytes);
  return lines.next() == bundle_magic ? lines.next() : std::string_view();
}

Result<std::shared_ptr<const ZoneTable>, std::string> read_bundle(std::string_view bytes) {
  Lines lines(bytes);
  if (lines.next() != bundle_magic) return damaged("its beginning");
  std::string version(lines.next());
  auto counts = counts_of(lines.next());
  if (!counts) return damaged("its counts");
  std::vector<std::pair<std::string, size_t>> names;
  for (size_t i = 0; i < counts->names; ++i) {
    auto [name, index] = halves(lines.next());
    auto zone = number_of(index);
    if (name.empty() || !zone || *zone >= counts->zones) return damaged("its names");
    names.emplace_back(name, *zone);
  }
  std::vector<size_t> sizes;
  for (size_t i = 0; i < counts->zones; ++i) {
    auto size = number_of(lines.next());
    if (!size || *size > tzif_bytes_max) return damaged("its sizes");
    sizes.push_back(*size);
  }
  std::string_view rest = lines.rest();
  std::vector<std::shared_ptr<const Zone>> zones;
  for (size_t size : sizes) {
    if (size > rest.size()) return damaged("it ends too early");
    auto zone = read_tzif(rest.substr(0, size));
    if (!zone) return damaged(zone.error());
    zones.push_back(std::make_shared<const Zone>(*std::move(zone)));
    rest.remove_prefix(size);
  }
  std::vector<ZoneTable::Named> named;
  for (auto& [name, index] : names) named.emplace_back(std::move(name), zones[index]);
  return std::make_shared<const ZoneTable>(std::move(version), std::move(named));
}

}  // namespace fermata
