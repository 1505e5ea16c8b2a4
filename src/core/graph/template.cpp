#include "core/graph/template.h"

#include <algorithm>

#include "base/json.h"
#include "core/graph/template_part.h"

namespace fermata::graph {

namespace {

using Part = Template::Part;

class Loader {
 public:
  Loader(const std::vector<std::string>& names, std::vector<Finding>& findings,
         flow::ParseLimits limits)
      : names_(names), findings_(findings), limits_(limits) {}

  Part load(const Value& value, const std::string& path) {
    Part part;
    part.value = value;
    if (value.is_string()) {
      auto parsed = parse_text(value.as_string(), names_, limits_);
      if (parsed) return *std::move(parsed);
      findings_.push_back({parsed.error().code, path, parsed.error().message, {}, 0, 0});
    } else if (value.is_array()) {
      load_array(part, path);
    } else if (value.is_object()) {
      load_object(part, path);
    }
    return part;
  }

 private:
  /// What never changes stays one value that evaluation only shares.
  static bool same_as_given(const Part& part, const Value& value) {
    if (part.kind != Part::Kind::constant) return false;
    return part.value.same_node(value) || part.value == value;
  }

  void load_array(Part& part, const std::string& path) {
    std::vector<Part> parts;
    bool unchanged = true;
    for (size_t i = 0; i < part.value.size(); ++i) {
      const Value& item = part.value.items()[i];
      parts.push_back(load(item, path + "/" + std::to_string(i)));
      unchanged = unchanged && same_as_given(parts.back(), item);
    }
    if (unchanged) return;
    part.kind = Part::Kind::array;
    part.parts = std::move(parts);
    part.value = {};
  }

  void load_object(Part& part, const std::string& path) {
    std::vector<Part> parts;
    std::vector<Value> keys;
    bool unchanged = true;
    for (const Value::Member& member : part.value.members()) {
      std::string key(member.key.as_string());
      parts.push_back(load(member.value, path + "/" + escape_pointer(key)));
      keys.push_back(member.key);
      unchanged = unchanged && same_as_given(parts.back(), member.value);
    }
    if (unchanged) return;
    part.kind = Part::Kind::object;
    part.parts = std::move(parts);
    part.keys = std::move(keys);
    part.value = {};
  }

  const std::vector<std::string>& names_;
  std::vector<Finding>& findings_;
  flow::ParseLimits limits_;
};

void collect_roots(const Part& part, std::vector<std::string>& out) {
  auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  if (part.kind == Part::Kind::reference) add(part.reference.root);
  if (part.kind == Part::Kind::expression) {
    for (const std::string& name : part.expression.roots()) add(name);
  }
  for (const Part& inner : part.parts) collect_roots(inner, out);
}

}  // namespace

bool Template::constant() const { return part_->kind == Part::Kind::constant; }

std::vector<std::string> Template::roots() const {
  std::vector<std::string> out;
  collect_roots(*part_, out);
  return out;
}

Template parse_template(const Value& value, const std::vector<std::string>& names,
                        std::string_view path, std::vector<Finding>& findings,
                        flow::ParseLimits limits) {
  Loader loader(names, findings, limits);
  return Template(std::make_shared<const Part>(loader.load(value, std::string(path))));
}

}  // namespace fermata::graph
