#include "core/flow/parser.h"
#include "core/flow/parser_nesting.h"

/// A whole script: a workflow with its helpers, functions around an async main, or bare statements
/// (F-1). Whichever it is, the tree is a block of statements; the first two end with their entry.
namespace fermata::flow {

Node* Parser::file() {
  Scoped lines(lines_matter_, true);
  uint32_t begin = current().span.begin;
  if (at(TokenKind::end) && !issues_->failed()) {
    note(Check::empty_program, begin, "the file has no statement");
  }
  std::vector<Node*> statements;
  statement_list(statements, ListEnd::file);
  check_form(statements);
  failed_ = false;
  if (Node* entry = entry_of(statements)) {
    std::erase(statements, entry);
    statements.push_back(entry);
  }
  return make(NodeKind::block, begin, std::move(statements));
}

/// Beside a workflow only declarations may stand, and no second workflow.
void Parser::check_form(const std::vector<Node*>& statements) {
  const Node* entry = nullptr;
  for (const Node* one : statements) {
    if (one->kind != NodeKind::entry) continue;
    if (entry == nullptr) {
      entry = one;
      continue;
    }
    issues_->add(Check::multiple_workflows, one->span.begin, "a file holds one workflow")
        .related.push_back({entry->span.begin, "the first one"});
  }
  if (entry == nullptr) return;
  for (const Node* one : statements) {
    bool constant = one->kind == NodeKind::declare && one->constant;
    bool fits = constant || one->kind == NodeKind::function_declaration ||
                one->kind == NodeKind::entry || one->kind == NodeKind::empty ||
                one->kind == NodeKind::broken;
    if (fits) continue;
    issues_->add(Check::syntax, one->span.begin,
                 "beside a workflow only function and const declarations may stand");
  }
}

/// `workflow name(` cannot be anything else; `workflow (…) {` is a call when a line break or more
/// of an expression follows the parenthesis.
bool Parser::at_workflow() const {
  if (!at_name("workflow")) return false;
  if (ahead(1).kind == TokenKind::name && !ahead(1).after_line_break) {
    return ahead(2).kind == TokenKind::left_paren;
  }
  if (ahead(1).kind != TokenKind::left_paren) return false;
  size_t close = closes_[index_ + 1];
  return close + 1 < tokens_.size() && tokens_[close + 1].kind == TokenKind::left_brace &&
         !tokens_[close + 1].after_line_break;
}

/// The workflow itself is a function that its entry calls with what the run was given.
Node* Parser::workflow() {
  uint32_t begin = current().span.begin;
  advance();
  std::string_view name;
  if (at(TokenKind::name)) {
    name = text_of(current());
    advance();
  }
  Node* function = function_rest(begin, name);
  size_t parameters = function->kids.empty() ? 0 : function->kids.size() - 1;
  constexpr std::string_view given[] = {"Inputs", "Context"};
  if (!failed_ && parameters > std::size(given)) {
    issues_->add(Check::syntax, function->kids[2]->span.begin,
                 "a workflow takes its inputs and its context, nothing more");
    parameters = std::size(given);
  }
  std::vector<Node*> kids{function};
  for (size_t i = 0; i < parameters && !failed_; ++i) {
    kids.push_back(make(NodeKind::root, begin));
    kids.back()->text = given[i];
  }
  return make(NodeKind::entry, begin, std::move(kids));
}

/// The statement that starts the file's work, if that is not simply its first.
Node* Parser::entry_of(const std::vector<Node*>& statements) {
  Node* main = nullptr;
  bool only_declarations = true;
  for (Node* one : statements) {
    if (one->kind == NodeKind::entry) return one;
    bool is_function = one->kind == NodeKind::function_declaration;
    bool is_constant = one->kind == NodeKind::declare && one->constant;
    only_declarations = only_declarations && (is_function || is_constant);
    if (is_function && one->text == "main" && one->kids[0]->is_async) main = one;
  }
  if (failed_ || main == nullptr || !only_declarations) return nullptr;
  Node* callee = make(NodeKind::name, main->span.begin);
  callee->text = main->text;
  return make(NodeKind::entry, main->span.begin, {callee});
}

}  // namespace fermata::flow
