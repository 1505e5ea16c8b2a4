#pragma once
#include <string>

/// What a measurement says: figures, the floors that they must hold, the goals that they are to
/// reach, and whether what was measured is what was meant.
namespace fermata::bench {

void section(const std::string& title);
// One line of the report: what, figure, unit, and its ratio to the limit where there is one.
void report(const std::string& what, double figure, const std::string& unit,
            const std::string& note = "");

/// Says whether a floor holds; counted for the exit code of `--enforce`.
void floor_at_least(const std::string& what, double figure, double floor);
void floor_at_most(const std::string& what, double figure, double ceiling);
int floors_missed();

/// Says whether a goal is reached; one that is not is no failure.
void goal_at_least(const std::string& what, double figure, double goal);
void goal_at_most(const std::string& what, double figure, double goal);

/// What has to be so for a figure to mean anything. A measurement of something else is a failure,
/// whatever its figures: the program ends with 1.
bool expect(bool so, const std::string& what);
int broken_measurements();

/// Figures with a floor or a goal, of this run, as `name<TAB>figure` lines. False when the file
/// cannot be written.
bool keep_figures(const std::string& path);
/// How many of them are worse than 1.2 times what the file has (W-95), each told of; -1 when it
/// cannot be read.
int worse_than_kept(const std::string& path);

}  // namespace fermata::bench
