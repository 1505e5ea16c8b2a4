#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/value.h"
#include "core/flow/code.h"

/// Which function and which point of one program stand for which of another.
namespace fermata::flow {

class MigrationPoints {
 public:
  using Program = Expression::Program;
  MigrationPoints(const Program& from, const Program& to, const Value& map);

  /// By name and occurrence; null when the other program has none.
  const Function* function(const Function& before) const;

  struct Found {
    const Function::Point* point = nullptr;
    bool by_map = false;
  };
  Found point(const Function& before, const Function::Point& at) const;

  static const Function::Point* point_before(const Function& function, uint32_t next);
  /// Where in the text the instruction before `next` stands, as it is shown everywhere.
  static TextPosition position_of(const Function& function, uint32_t next);
  static std::string name_of(const Function& function, const Function::Point& point);
  /// Names in the map that are points of neither program.
  std::vector<std::string> unknown() const;

 private:
  const Function* library_function(const Function& before) const;
  void index(const Program& program, std::map<std::string, const Function::Point*>& out);
  const Function::Point* same_text(const Function& before, const Function::Point& at,
                                   const Function& after) const;

  const Program& to_;
  const Value& map_;
  std::map<const Function*, const Function*> functions_;
  std::map<std::string, const Function::Point*> old_points_;
  std::map<std::string, const Function::Point*> new_points_;
};

}  // namespace fermata::flow
