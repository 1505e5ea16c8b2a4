#include "bench/figures.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

namespace fermata::bench {

namespace {

/// A figure may be so much worse than the one that was kept.
constexpr double worse_at_most = 1.2;

struct Figure {
  double value = 0;
  bool less_is_better = true;
};

int missed = 0, broken = 0;
std::map<std::string, Figure> figures;

bool judge(const char* kind, const std::string& what, Figure figure, double bound, const char* held,
           const char* not_held) {
  bool holds = figure.less_is_better ? figure.value <= bound : figure.value >= bound;
  figures[what] = figure;
  std::printf("  %s %-46s %12.2f %s %-8.2f %s\n", kind, what.c_str(), figure.value,
              figure.less_is_better ? "<=" : ">=", bound, holds ? held : not_held);
  std::fflush(stdout);
  return holds;
}

}  // namespace

void section(const std::string& title) { std::printf("\n%s\n", title.c_str()); }

void report(const std::string& what, double figure, const std::string& unit,
            const std::string& note) {
  std::printf("  %-52s %12.1f %-10s %s\n", what.c_str(), figure, unit.c_str(), note.c_str());
  std::fflush(stdout);
}

void floor_at_least(const std::string& what, double figure, double floor) {
  if (!judge("floor", what, {figure, false}, floor, "held", "MISSED")) ++missed;
}

void floor_at_most(const std::string& what, double figure, double ceiling) {
  if (!judge("floor", what, {figure, true}, ceiling, "held", "MISSED")) ++missed;
}

int floors_missed() { return missed; }

void goal_at_least(const std::string& what, double figure, double goal) {
  judge("goal ", what, {figure, false}, goal, "reached", "not reached");
}

void goal_at_most(const std::string& what, double figure, double goal) {
  judge("goal ", what, {figure, true}, goal, "reached", "not reached");
}

bool expect(bool so, const std::string& what) {
  if (so) return true;
  ++broken;
  std::printf("  BROKEN: %s\n", what.c_str());
  std::fflush(stdout);
  return false;
}

int broken_measurements() { return broken; }

bool keep_figures(const std::string& path) {
  std::ofstream file(path);
  for (const auto& [name, figure] : figures) file << name << '\t' << figure.value << '\n';
  return static_cast<bool>(file.flush());
}

int worse_than_kept(const std::string& path) {
  std::ifstream file(path);
  if (!file) return -1;
  int worse = 0;
  for (std::string line; std::getline(file, line);) {
    size_t tab = line.find('\t');
    auto now = tab == std::string::npos ? figures.end() : figures.find(line.substr(0, tab));
    if (now == figures.end()) continue;
    double kept = std::strtod(line.c_str() + tab + 1, nullptr);
    const Figure& figure = now->second;
    bool worsened = figure.less_is_better ? figure.value > kept * worse_at_most
                                          : figure.value * worse_at_most < kept;
    if (!worsened) continue;
    ++worse;
    std::printf("  WORSE: %s: %.2f, kept %.2f\n", now->first.c_str(), figure.value, kept);
  }
  return worse;
}

}  // namespace fermata::bench
