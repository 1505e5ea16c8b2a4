#include "core/flow/parser.h"

/// How reading goes on behind a mistake. The innermost list of statements drops the statement that
/// broke and begins again at the next one, so that one mistake hides no other (F-57).
namespace fermata::flow {

namespace {

/// Brackets that are open between the start of a statement and a token of it.
class OpenBrackets {
 public:
  bool none() const { return open_.empty(); }
  bool has_brace() const { return braces_ > 0; }
  /// False when the token closes something that was opened before the statement.
  bool pass(TokenKind kind) {
    switch (kind) {
      case TokenKind::left_paren:
      case TokenKind::left_bracket:
      case TokenKind::template_head: open_.push_back(kind); return true;
      case TokenKind::left_brace:
        ++braces_;
        open_.push_back(kind);
        return true;
      case TokenKind::right_paren: return drop(TokenKind::left_paren);
      case TokenKind::right_bracket: return drop(TokenKind::left_bracket);
      case TokenKind::template_tail: return drop(TokenKind::template_head);
      case TokenKind::right_brace:
        // A brace also ends what was left open inside it.
        while (!open_.empty() && open_.back() != TokenKind::left_brace) open_.pop_back();
        if (open_.empty()) return false;
        --braces_;
        open_.pop_back();
        return true;
      default: return true;
    }
  }

 private:
  bool drop(TokenKind kind) {
    if (!open_.empty() && open_.back() == kind) open_.pop_back();
    return true;
  }

  std::vector<TokenKind> open_;
  int braces_ = 0;
};

bool begins_statement(TokenKind kind) {
  switch (kind) {
    case TokenKind::let_word:
    case TokenKind::const_word:
    case TokenKind::if_word:
    case TokenKind::for_word:
    case TokenKind::while_word:
    case TokenKind::do_word:
    case TokenKind::switch_word:
    case TokenKind::try_word:
    case TokenKind::return_word:
    case TokenKind::throw_word:
    case TokenKind::break_word:
    case TokenKind::continue_word:
    case TokenKind::function_word: return true;
    default: return false;
  }
}

}  // namespace

void Parser::recover(size_t first, std::vector<Node*>& statements) {
  size_t next = sync_point(first);
  failed_ = false;
  index_ = next;
  statements.push_back(broken_statement(first, next));
}

/// The token where the statement that began at `first` and broke is over: behind its semicolon,
/// before the brace of its block, at the next line. Inside brackets that were never closed only a
/// line that surely begins a statement counts.
size_t Parser::sync_point(size_t first) const {
  OpenBrackets open;
  for (size_t i = first; i + 1 < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (i > first && i >= failed_index_) {
      bool new_line = token.after_line_break;
      bool behind_block = tokens_[i - 1].kind == TokenKind::right_brace && !open.has_brace();
      if (open.none() && token.kind == TokenKind::semicolon) return i + 1;
      if (open.none() && new_line) return i;
      if (new_line && !open.has_brace() && begins_statement(token.kind)) return i;
      if (new_line && behind_block) return i;
    }
    if (!open.pass(token.kind) && i >= failed_index_) return i > first ? i : i + 1;
  }
  return tokens_.size() - 1;
}

/// Stands for what was dropped: declares the names that it would have declared, so that their
/// uses elsewhere are not called mistakes, and remembers all it mentions.
Node* Parser::broken_statement(size_t first, size_t end) {
  Node* node = make(NodeKind::broken, tokens_[first].span.begin);
  bool declares = false;
  for (size_t i = first; i < end; ++i) {
    const Token& token = tokens_[i];
    TokenKind kind = token.kind;
    if (kind == TokenKind::let_word || kind == TokenKind::const_word ||
        kind == TokenKind::function_word || kind == TokenKind::var_word) {
      declares = true;
    } else if (kind == TokenKind::assign || kind == TokenKind::semicolon ||
               kind == TokenKind::left_paren) {
      declares = false;
    } else if (kind == TokenKind::name) {
      ast_.broken_names.insert(text_of(token));
      if (!declares) continue;
      Node* name = make(NodeKind::pattern_name, token.span.begin);
      name->span = token.span;
      name->text = text_of(token);
      node->kids.push_back(name);
    }
  }
  return node;
}

}  // namespace fermata::flow
