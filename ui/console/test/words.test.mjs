// All that people read stands in src/words (U-64).

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'svelte/compiler';
import { createServer } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = ['title', 'placeholder', 'aria-label', 'label', 'alt'];
/** What is typed as it stands: commands, keys, names of fields. */
const literal = ['pre', 'code', 'kbd', 'style', 'script'];
const isWord = (text) => /[A-Za-z]{2,}/.test(text.replace(/&\w+;/g, ''));

function* texts(node) {
  if (!node || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const one of node) yield* texts(one);
    return;
  }
  if (node.type === 'RegularElement' && literal.includes(node.name)) return;
  if (node.type === 'Text') {
    if (isWord(node.raw)) yield node.raw.trim();
    return;
  }
  if (node.type === 'StyleDirective') return;
  if (node.type === 'Attribute') {
    if (read.includes(node.name)) yield* texts(node.value);
    return;
  }
  for (const [name, value] of Object.entries(node)) if (name !== 'metadata' && name !== 'parent') yield* texts(value);
}

function componentsIn(folder) {
  return readdirSync(join(root, 'src', folder)).filter((name) => name.endsWith('.svelte') && name !== 'DevParts.svelte').map((name) => join(root, 'src', folder, name));
}

test('every_text_of_a_component_comes_from_the_words', () => {
  for (const path of [...componentsIn('pages'), ...componentsIn('parts'), join(root, 'src/App.svelte')])
    assert.deepEqual([...texts(parse(readFileSync(path, 'utf8'), { modern: true }).fragment)], [], path);
});

test('words_are_calm_and_each_is_used', async () => {
  const vite = await createServer({ root, configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, watch: null, ws: false } });
  const words = await vite.ssrLoadModule('/src/words/index.ts');
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => /\.(svelte|ts)$/.test(name) && !name.startsWith('words/')).map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  for (const [theme, parts] of Object.entries(words))
    for (const [part, entries] of Object.entries(parts)) {
      const users = sources.filter((source) => source.includes(`import { ${part} as w } from`) && source.includes(`words/${theme}.ts`));
      assert.ok(users.length, `${theme}.${part} is used by nobody`);
      for (const [key, value] of Object.entries(entries)) {
        const text = typeof value === 'function' ? value('', '', '', '', '', '', '', '') : value;
        assert.ok(!text.includes('!'), `${theme}.${part}.${key} shouts`);
        assert.ok(users.some((source) => new RegExp(`\\bw\\.${key}\\b`).test(source)), `${theme}.${part}.${key} is used by nobody`);
      }
    }
  await vite.close();
});
