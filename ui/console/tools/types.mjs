// Types of the API as the server describes it: `node tools/types.mjs http://127.0.0.1:4747` writes
// src/api/openapi.d.ts (U-83). A browser test fails when that file and the server disagree.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi, { astToString } from 'openapi-typescript';

export const typesPath = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/api/openapi.d.ts');

/** What the console may ask for: names of operations and the form of problems are the same everywhere. */
function slim(document) {
  const paths = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith('/api/v1/') || /\/(webhook|worker|admin)\//.test(path)) continue;
    paths[path] = {};
    for (const [method, { operationId, responses, ...rest }] of Object.entries(methods)) {
      const { default: problem, ...good } = responses;
      paths[path][method] = { ...rest, responses: good };
    }
  }
  return { ...document, paths };
}

export async function typesOf(document) {
  const text = astToString(await openapi(slim(document), { emptyObjectsUnknown: true }));
  // What nobody asks for at a path need not be said.
  const lines = text.split('\n').filter((line) => !/^\s+(query|header|path|cookie|requestBody|get|put|post|delete|options|head|patch|trace|parameters)\?: never;$/.test(line));
  const plain = lines.join('\n').replaceAll('Record<string, unknown>', 'object');
  return `// Made by tools/types.mjs from /openapi.json; not written by hand.\n\n${plain}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = process.argv[2] ?? 'http://127.0.0.1:4747';
  const answer = await fetch(`${server}/openapi.json`);
  mkdirSync(dirname(typesPath), { recursive: true });
  writeFileSync(typesPath, await typesOf(await answer.json()));
}
