#include "server/engine_metrics.h"

#include "server/metric_text.h"

namespace fermata::server {
namespace {

/// `unit`: how many of what was counted are one of what is shown.
void append_spread(std::string& out, const std::string& name, std::string_view help,
                   const SpreadSeen& spread, double unit) {
  out.append("# HELP ").append(name).append(" ").append(help);
  out.append("\n# TYPE ").append(name).append(" histogram\n");
  uint64_t below = 0;
  for (size_t i = 0; i < spread.counts.size(); ++i) {
    below += spread.counts[i];
    std::string bound = i < spread.bounds.size()
                            ? number_to_text(static_cast<double>(spread.bounds[i]) / unit)
                            : "+Inf";
    out.append(name).append("_bucket{").append(metric_label("le", bound)).append("} ");
    out.append(std::to_string(below)).append("\n");
  }
  out.append(name).append("_sum ");
  out.append(number_to_text(static_cast<double>(spread.sum) / unit)).append("\n");
  out.append(name).append("_count ").append(std::to_string(below)).append("\n");
}

}  // namespace

std::string engine_metrics(const HostCounters& counters) {
  std::string out;
  append_spread(out, "fermata_commit_seconds", "Seconds that the store took for a commit.",
                counters.commit_us, 1e6);
  append_spread(out, "fermata_commit_roots", "Runs, jobs and the like that a commit wrote.",
                counters.commit_roots, 1);
  append_spread(out, "fermata_timer_lateness_seconds",
                "Seconds from the time a run was due to the decision about it.",
                counters.lateness_ms, 1e3);
  using Counts = std::map<std::string, uint64_t>;
  append_metric(out, "fermata_conflicts_total", "counter",
                "Writes that were decided again because the version was another.",
                Counts{{"", counters.conflicts}});
  return out;
}

}  // namespace fermata::server
