#include "server/metrics.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::server {
namespace {

void append_head(std::string& out, std::string_view name, std::string_view kind,
                 std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  out.append(" ").append(kind).append("\n");
}

}  // namespace

Metrics::Metrics(std::span<const Route> routes)
    : routes_(routes), by_route_(std::make_unique<ByStatus[]>(routes.size() + 1)) {}

void Metrics::answered(const Route* route, int status, std::chrono::nanoseconds took) {
  size_t row = route ? static_cast<size_t>(route - routes_.data()) : routes_.size();
  auto column = std::find(statuses.begin(), statuses.end() - 1, status) - statuses.begin();
  by_route_[row][static_cast<size_t>(column)].fetch_add(1, std::memory_order_relaxed);
  int64_t us = took.count() / 1000;
  auto bucket = std::lower_bound(buckets_us.begin(), buckets_us.end(), us) - buckets_us.begin();
  durations_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  duration_us_.fetch_add(static_cast<uint64_t>(us), std::memory_order_relaxed);
}

void Metrics::append_requests(std::string& out) const {
  constexpr std::string_view name = "fermata_http_requests_total";
  append_head(out, name, "counter", "Requests answered.");
  for (size_t row = 0; row <= routes_.size(); ++row) {
    for (size_t column = 0; column < statuses.size(); ++column) {
      uint64_t count = by_route_[row][column].load(std::memory_order_relaxed);
      if (count == 0) continue;
      out.append(name).append("{method=\"");
      out.append(row < routes_.size() ? http::name_of(routes_[row].method) : "");
      out.append("\",route=\"").append(row < routes_.size() ? routes_[row].path : "unmatched");
      out.append("\",status=\"");
      out.append(statuses[column] ? std::to_string(statuses[column]) : "other");
      out.append("\"} ").append(std::to_string(count)).append("\n");
    }
  }
}

void Metrics::append_durations(std::string& out) const {
  constexpr std::string_view name = "fermata_http_request_duration_seconds";
  append_head(out, name, "histogram", "From a request's last byte to its answer.");
  uint64_t sum = 0;
  for (size_t i = 0; i < durations_.size(); ++i) {
    sum += durations_[i].load(std::memory_order_relaxed);
    std::string bound =
        i < buckets_us.size() ? number_to_text(static_cast<double>(buckets_us[i]) / 1e6) : "+Inf";
    out.append(name).append("_bucket{le=\"").append(bound).append("\"} ");
    out.append(std::to_string(sum)).append("\n");
  }
  double seconds = static_cast<double>(duration_us_.load(std::memory_order_relaxed)) / 1e6;
  out.append(name).append("_sum ").append(number_to_text(seconds)).append("\n");
  out.append(name).append("_count ").append(std::to_string(sum)).append("\n");
}

std::string Metrics::text() const {
  std::string out;
#define FERMATA_METRIC(member, kind, name, help) \
  append_head(out, name, #kind, help);           \
  out.append(name).append(" ").append(std::to_string(member.load())).append("\n");
#include "server/metrics.def"
#undef FERMATA_METRIC
  append_requests(out);
  append_durations(out);
  return out;
}

}  // namespace fermata::server
