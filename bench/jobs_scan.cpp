#include "adapters/scan/content_search.h"
#include "bench/jobs.h"

/// (h) How fast results are read (J-96).
namespace fermata::bench {

namespace {

constexpr size_t scanned_bytes = 4 << 20;

/// Prose and numbers as workers report them, with nothing in them that a scanner is looking for
/// and much that it has to look at twice.
Value ordinary_output() {
  const char* sentences[] = {
      "The invoice of March was paid on the 14th, and the customer was told by letter.",
      "Order 2026-03-14/118 left the warehouse at 09:45 with 12 parcels of 3.5 kg each.",
      "Nobody has asked for a key; the token of the parking machine costs 2 euro.",
      "SELECTED: union of all drawers, one table dropped off at the front desk.",
      "Call again at 10 and ask for the secret of the sauce: it is butter.",
  };
  Value rows = Value::array();
  size_t bytes = 0;
  for (size_t i = 0; bytes < scanned_bytes; ++i) {
    std::string text = std::string(sentences[i % 5]) + " " + std::to_string(i * 7'919);
    bytes += text.size();
    rows.push(Value::object({{"id", static_cast<int64_t>(i)}, {"text", text}}));
  }
  return rows;
}

double rate_of(const scan::ContentSearch& search, const scan::Texts& texts, bool expect_hits) {
  constexpr int rounds = 20;
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    auto found = search.in(texts, texts.text().size(), false);
    double megabytes = static_cast<double>(texts.text().size()) / 1e6;
    best = std::max(best, megabytes / seconds_since(begin));
    if ((found.total > 0) != expect_hits) std::exit(5);
  }
  return best;
}

}  // namespace

void measure_scans() {
  section("(h) reading a result of 4 MiB with all scanners, one core");
  policy::Content content;
  content.scanners = {policy::Scanner::secret, policy::Scanner::pii, policy::Scanner::injection,
                      policy::Scanner::size, policy::Scanner::keyword};
  content.keywords = {"confidential", "internal only"};
  content.size_over = 64 << 20;
  scan::ContentSearch search(content, {"us_ssn", "uk_nino", "es_dni"});
  Value output = ordinary_output();
  double rate = rate_of(search, scan::Texts::of_json(output), false);
  report("nothing found", rate, "MB/s");
  output.push(Value::object({{"key", "AKIAIOSFODNN7EXAMPLE"}, {"to", "ada@example.org"}}));
  report("a key and an address found", rate_of(search, scan::Texts::of_json(output), true), "MB/s");
  floor_at_least("(h) content scanned per core (J-96)", rate, 100);
}

}  // namespace fermata::bench
