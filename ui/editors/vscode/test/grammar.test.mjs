import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const here = dirname(fileURLToPath(import.meta.url));
const extension = join(here, "..");
const repository = join(extension, "../../..");
const require = createRequire(import.meta.url);
const read = (path) => readFileSync(path, "utf8");

async function grammar() {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(read(join(extension, "syntaxes/flow.tmLanguage.json")), "flow.json"),
  });
  return registry.loadGrammar("source.flow");
}
const loaded = await grammar();

/// Every token of a text: its characters, its line and its innermost scope.
function tokens(text) {
  let stack = textmate.INITIAL;
  const out = [];
  for (const [index, line] of text.split("\n").entries()) {
    const result = loaded.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const characters = line.slice(token.startIndex, token.endIndex).trim();
      if (characters === "") continue;
      out.push({ line: index + 1, text: characters, scopes: token.scopes });
    }
  }
  return out;
}

/// The innermost scope of a word, by its first occurrence on a line.
function scope_of(all, line, text) {
  const found = all.find((token) => token.line === line && token.text === text);
  assert.ok(found, `no token ${text} in line ${line}`);
  return found.scopes.at(-1).replace(/\.flow$/, "");
}

test("a script with every construct is coloured word by word", () => {
  const all = tokens(read(join(extension, "samples/everything.flow")));
  for (const [line, text, scope] of [
    [2, "compat", "keyword.other.front-matter"],
    [2, "rhythm", "string.unquoted.front-matter"],
    [4, "owner: nobody", "comment.block.front-matter"],
    [6, '// A line comment with "quotes" and `backquotes`', "comment.line.double-slash"],
    [8, "comment", "comment.block"],
    [9, "workflow", "storage.type.workflow"],
    [9, "everything", "entity.name.function.workflow"],
    [10, "const", "storage.type"],
    [10, "...", "keyword.operator.spread"],
    [11, "1_000", "constant.numeric"],
    [11, "0xff", "constant.numeric"],
    [11, ".5e-3", "constant.numeric"],
    [11, "**", "keyword.operator.arithmetic"],
    [12, "${", "punctuation.definition.template.begin"],
    [12, "id", "variable.other"],
    [12, "map", "variable.other.property"],
    [12, "=>", "storage.type.function.arrow"],
    [12, "\\u{1f600}", "constant.character.escape"],
    [13, "\\q", "invalid.illegal.escape"],
    [14, "for", "keyword.control"],
    [14, "of", "keyword.control.loop"],
    [14, "??", "keyword.operator.logical"],
    [15, "class", "variable.other.property"],
    [15, "===", "keyword.operator.comparison"],
    [15, "null", "constant.language"],
    [15, "?.", "punctuation.accessor"],
    [16, "await", "keyword.control"],
    [16, "+=", "keyword.operator.assignment"],
    [16, "price", "entity.name.function.call"],
    [18, "letter", "variable.other"],
    [18, "awaiting", "variable.other"],
    [18, "nullable", "variable.other"],
    [18, "default", "variable.other.property"],
    [20, "Task", "support.class.effect"],
    [20, "all", "variable.other"],
    [20, "Promise", "support.class.effect"],
    [21, "in", "meta.object-literal.key"],
    [21, "typeof", "keyword.operator.word"],
    [23, "new", "keyword.operator.word"],
    [23, "Error", "support.function"],
    [25, "Inputs", "variable.language"],
    [28, "async", "storage.modifier.async"],
    [28, "function", "storage.type.function"],
    [28, "price", "entity.name.function"],
    [29, "get", "variable.other"],
    [29, "async", "storage.modifier.async"],
    [30, "Math", "support.class"],
    [32, "var", "invalid.illegal.unsupported"],
    [32, "this", "invalid.illegal.unsupported"],
  ]) {
    assert.equal(scope_of(all, line, text), scope, `${text} in line ${line}`);
  }
});

test("nothing is left open at the end of the examples", () => {
  for (const name of ["refund.flow"]) {
    const text = read(join(repository, "examples", name)) + "\nlast_word";
    const last = tokens(text).at(-1);
    assert.deepEqual(last.scopes, ["source.flow", "variable.other.flow"], name);
  }
});

test("the grammar knows the words and the library of the language", () => {
  const source = read(join(extension, "syntaxes/flow.tmLanguage.json"));
  const definitions = read(join(repository, "src/core/flow/tokens.def"));
  for (const [, word] of definitions.matchAll(/^FLOW_WORD(?:_UNUSED)?\(\w+, "(\w+)"\)/gm)) {
    assert.match(source, new RegExp(`[(|:]${word}[|)]|\\(${word}\\)`), word);
  }
  const library = read(join(repository, "src/core/flow/library.cpp"));
  for (const [, name] of library.matchAll(/\{"(\w+)", Owner::\w+_space\}/g)) {
    assert.match(source, new RegExp(`[(|:]${name}[|)]`), name);
  }
});

test("the problem matcher reads what fermata check prints", () => {
  const { contributes } = JSON.parse(read(join(extension, "package.json")));
  const pattern = new RegExp(contributes.problemMatchers[0].pattern.regexp);
  const line = "examples/refund.flow:3:17: error[undefined-variable]: unknown name `x`";
  assert.deepEqual(pattern.exec(line)?.slice(1), [
    "examples/refund.flow",
    "3",
    "17",
    "error",
    "undefined-variable",
    "unknown name `x`",
  ]);
  assert.equal(pattern.exec("examples/refund.flow: valid, workflow refund"), null);
});

test("snippets have a prefix of their own and balanced brackets", () => {
  const snippets = Object.values(JSON.parse(read(join(extension, "snippets/flow.json"))));
  assert.equal(new Set(snippets.map((one) => one.prefix)).size, snippets.length);
  for (const { prefix, body } of snippets) {
    const text = body.join("\n").replace(/\$\{\d+:([^}]*)\}/g, "$1").replace(/\$\d/g, "");
    for (const [open, close] of ["()", "[]", "{}"]) {
      assert.equal(text.split(open).length, text.split(close).length, prefix);
    }
  }
});
