// The types that the console is written against are those of the server (U-83).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { end, root, serve } from './harness.mjs';

after(end);

test('types_of_the_api_are_those_of_the_server', async () => {
  const { typesOf, typesPath } = await import(join(root, 'ui/console/tools/types.mjs'));
  const server = await serve();
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  const [told, kept] = [await typesOf(document), readFileSync(typesPath, 'utf8')];
  assert.ok(told === kept, 'src/api/openapi.d.ts is not what the server tells; run `node ui/console/tools/types.mjs URL`');
});
