#include "cli/checked_file.h"

#include "cli/engine.h"

namespace fermata::cli {

Exit check_document(const std::string& path, const DocumentCheck& check, Surroundings& around) {
  const Terminal& terminal = around.terminal;
  auto text = read_file(path);
  if (!text) return terminal.fail(text.error());
  std::vector<Finding> findings;
  std::string well;
  auto read = around.world.policy_texts()(*text);
  if (!read) {
    findings = read.error().findings;
  } else {
    findings = check(read->value, well);
    policy::locate(findings, *read);
  }
  if (terminal.json) {
    Value errors = Value::array();
    for (const Finding& finding : findings)
      errors.push(Value::object({{"path", finding.path},
                                 {"line", finding.line},
                                 {"column", finding.column},
                                 {"message", finding.message}}));
    terminal.value(Value::object({{"valid", findings.empty()}, {"errors", std::move(errors)}}));
  } else if (findings.empty()) {
    terminal.line(path + ": " + well + ", no mistakes");
  } else {
    for (Finding& finding : findings) {
      if (!finding.path.empty()) finding.message = finding.path + ": " + finding.message;
      terminal.line(finding_line(path, finding));
    }
  }
  return findings.empty() ? Exit::ok : Exit::failed;
}

}  // namespace fermata::cli
