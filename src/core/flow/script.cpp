#include "core/flow/script.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "core/flow/checker.h"
#include "core/flow/compile_script.h"
#include "core/flow/names.h"
#include "core/flow/parser.h"
#include "core/flow/resolver.h"

namespace fermata::flow {

namespace {

/// Turns offsets into lines and columns by one walk over the text.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') starts_.push_back(at + 1);
    }
  }
  TextPosition at(size_t offset) const {
    offset = std::min(offset, text_.size());
    auto next = std::ranges::upper_bound(starts_, offset);
    TextPosition out;
    out.line = static_cast<int>(next - starts_.begin());
    size_t start = *(next - 1);
    out.column = static_cast<int>(utf8_length(text_.substr(start, offset - start))) + 1;
    out.offset = offset;
    return out;
  }

 private:
  std::string_view text_;
  std::vector<size_t> starts_{0};
};

Finding finding_of(const Issue& issue, const Places& places) {
  Finding out;
  out.code = rule_of(issue.check);
  out.message = issue.message;
  TextPosition at = places.at(issue.offset);
  out.line = at.line;
  out.column = at.column;
  for (const Issue::Related& related : issue.related) {
    TextPosition place = places.at(related.offset);
    out.related.push_back(std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
                          related.message);
  }
  return out;
}

bool is_error(const Issue& issue, bool strict) {
  return issue.severity == Severity::error || strict;
}

bool has_errors(Issues& issues, bool strict) {
  return std::ranges::any_of(issues.all(), [&](const Issue& one) { return is_error(one, strict); });
}

void sort_out(Issues& issues, CheckedScript& out) {
  std::ranges::stable_sort(issues.all(), {}, &Issue::offset);
  Places places(out.source);
  for (const Issue& issue : issues.all()) {
    auto& list = is_error(issue, out.front.strict) ? out.errors : out.warnings;
    Finding finding = finding_of(issue, places);
    // A pattern of a loop is read twice, and so are its mistakes.
    if (std::ranges::find(list, finding) == list.end()) list.push_back(std::move(finding));
  }
}

const Node* workflow_of(const Ast& ast) {
  if (ast.root == nullptr || ast.root->kids.empty()) return nullptr;
  const Node& last = *ast.root->kids.back();
  return last.kind == NodeKind::entry && last.kids[0]->kind == NodeKind::function ? &last : nullptr;
}

void check_name(const Ast& ast, const ScriptOptions& options, Issues& issues, CheckedScript& out) {
  const Node* workflow = workflow_of(ast);
  if (workflow == nullptr) return;
  out.name = workflow->kids[0]->text;
  if (out.name.empty() || options.name.empty() || out.name == options.name) return;
  issues.add(Check::name_mismatch, workflow->span.begin,
             "the workflow calls itself " + quoted(out.name) + " but is stored as " +
                 quoted(options.name));
}

}  // namespace

std::string normal_source(std::string_view source) {
  if (source.starts_with("\xef\xbb\xbf")) source.remove_prefix(3);
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    bool carriage = source[i] == '\r';
    if (carriage && i + 1 < source.size() && source[i + 1] == '\n') continue;
    out.push_back(carriage ? '\n' : source[i]);
  }
  return out;
}

ScriptRef make_definition(CheckedScript script) {
  auto out = std::make_shared<ScriptDefinition>();
  out->hash = DefinitionHash(sha256_hex(script.source));
  out->script = std::move(script);
  return out;
}

CheckedScript check_script(std::string_view source, const ScriptOptions& options) {
  CheckedScript out;
  out.source = normal_source(source);
  Issues issues(out.source);
  if (source.size() > script_bytes_max) {
    issues.add(Check::too_large, 0,
               "the source has more than " + std::to_string(script_bytes_max) + " bytes");
    sort_out(issues, out);
    return out;
  }
  out.front = read_front_matter(out.source, issues);
  bool rhythm = out.front.rhythm || options.rhythm;
  Ast ast = Parser(out.source, Parser::File{out.front.end, rhythm}).run(issues);
  Resolver::Options resolving{.grammar = Grammar::script, .rhythm = rhythm};
  const FunctionScope* scope = Resolver(ast, resolving).run(issues);
  Checker(ast, issues).run();
  check_name(ast, options, issues, out);
  if (options.compile && !has_errors(issues, out.front.strict))
    out.program = compile_checked(ast, *scope, out.source, rhythm, issues);
  sort_out(issues, out);
  return out;
}

}  // namespace fermata::flow
