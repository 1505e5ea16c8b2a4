#include "core/flow/durable/migration_points.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::flow {

namespace {

std::string_view text_at(const Expression::Program& program, Span span) {
  return std::string_view(program.text).substr(span.begin, span.end - span.begin);
}

bool same_code(const Function& one, const Function& other) {
  auto same = [](const Instruction& a, const Instruction& b) {
    return a.op == b.op && a.a == b.a && a.b == b.b && a.c == b.c;
  };
  return one.slots == other.slots && one.program->constants == other.program->constants &&
         std::ranges::equal(one.code, other.code, same);
}

/// The call of the workflow itself: its text is all of the script.
bool is_entry(const Function& function, const Function::Point& point) {
  return function.index == 0 && !point.awaits && &point == &function.points.back();
}

}  // namespace

MigrationPoints::MigrationPoints(const Program& from, const Program& to, const Value& map)
    : to_(to), map_(map) {
  std::map<std::pair<std::string, size_t>, const Function*> named;
  std::map<std::string, size_t> seen;
  for (const auto& function : to.functions)
    named[{function->name, seen[function->name]++}] = function.get();
  seen.clear();
  for (const auto& function : from.functions) {
    auto found = named.find({function->name, seen[function->name]++});
    functions_[function.get()] = found == named.end() ? nullptr : found->second;
  }
  index(from, old_points_);
  index(to, new_points_);
}

void MigrationPoints::index(const Program& program,
                            std::map<std::string, const Function::Point*>& out) {
  for (const auto& function : program.functions)
    for (const Function::Point& point : function->points)
      if (point.awaits) out.try_emplace(name_of(*function, point), &point);
}

/// The part of the library that is written in the language is most often the same for both; a
/// function that has changed since cannot be gone on with in its midst.
const Function* MigrationPoints::library_function(const Function& before) const {
  for (const auto& function : to_.prelude->functions) {
    if (function->name == before.name && same_code(*function, before)) return function.get();
  }
  return nullptr;
}

const Function* MigrationPoints::function(const Function& before) const {
  if (before.library) return library_function(before);
  auto found = functions_.find(&before);
  return found == functions_.end() ? nullptr : found->second;
}

const Function::Point* MigrationPoints::point_before(const Function& function, uint32_t next) {
  for (const Function::Point& point : function.points)
    if (point.next == next) return &point;
  return nullptr;
}

TextPosition MigrationPoints::position_of(const Function& function, uint32_t next) {
  return position_at(function.program->text, function.offsets[next - 1]);
}

std::string MigrationPoints::name_of(const Function& function, const Function::Point& point) {
  TextPosition at = position_of(function, point.next);
  return (function.name.empty() ? "main" : function.name) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column);
}

const Function::Point* MigrationPoints::same_text(const Function& before, const Function::Point& at,
                                                  const Function& after) const {
  std::string_view text = text_at(*before.program, at.span);
  size_t occurrence = 0;
  for (const Function::Point& point : before.points) {
    if (&point == &at) break;
    if (point.awaits == at.awaits && text_at(*before.program, point.span) == text) ++occurrence;
  }
  for (const Function::Point& point : after.points) {
    if (point.awaits != at.awaits || text_at(*after.program, point.span) != text) continue;
    if (occurrence-- == 0) return &point;
  }
  return nullptr;
}

MigrationPoints::Found MigrationPoints::point(const Function& before,
                                              const Function::Point& at) const {
  const Function* after = function(before);
  if (after == nullptr) return {};
  if (before.library) return {point_before(*after, at.next), false};
  if (is_entry(before, at)) return {after->points.empty() ? nullptr : &after->points.back(), false};
  if (const Value* mapped = map_.find(name_of(before, at)); mapped != nullptr) {
    auto found = mapped->is_string() ? new_points_.find(std::string(mapped->as_string()))
                                     : new_points_.end();
    bool inside = found != new_points_.end() && !after->points.empty() &&
                  found->second >= after->points.data() &&
                  found->second < after->points.data() + after->points.size();
    return {inside ? found->second : nullptr, true};
  }
  return {same_text(before, at, *after), false};
}

std::vector<std::string> MigrationPoints::unknown() const {
  std::vector<std::string> out;
  if (!map_.is_object()) return out;
  for (const Value::Member& member : map_.members()) {
    std::string key(member.key.as_string());
    if (!old_points_.contains(key)) out.push_back(key);
    std::string target = member.value.is_string() ? std::string(member.value.as_string()) : "";
    if (new_points_.contains(target)) continue;
    out.push_back(target.empty() ? to_json(member.value) : target);
  }
  return out;
}

}  // namespace fermata::flow
