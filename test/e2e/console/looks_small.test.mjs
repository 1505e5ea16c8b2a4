// How pages look on a phone.

import { after, before, test } from 'node:test';
import { end } from './harness.mjs';
import { everyPageIsWhole, filled } from './looks.mjs';

let world;
before(async () => {
  world = await filled();
});
after(async () => {
  world.over();
  await end();
});

test('t38_every_page_is_whole_375', () => everyPageIsWhole(world, 375));
