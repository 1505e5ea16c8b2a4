import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { it } from "node:test";
import { promisify } from "node:util";

import { Server } from "./server.js";

it("runs every example to its result", async () => {
  const server = await Server.started();
  try {
    const folder = new URL("../examples/", import.meta.url);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".js"))) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [new URL(name, folder).pathname],
        { env: { ...process.env, FERMATA_SERVER: server.url }, timeout: 60_000 },
      );
      assert.match(stdout, /result:/);
    }
  } finally {
    await server.stop();
  }
});
