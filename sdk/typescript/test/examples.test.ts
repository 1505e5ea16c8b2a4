import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { it } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { Server } from "./server.js";

it("gets the result of the worker example though the server is killed", async () => {
  const server = await Server.started();
  const example = spawn(
    process.execPath,
    [new URL("../examples/worker.js", import.meta.url).pathname],
    {
      env: { ...process.env, FERMATA_SERVER: server.url, BANK_SECONDS: "2" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = once(example, "exit");
  try {
    let said = "";
    for await (const chunk of example.stdout) {
      const begun = said.includes("charging");
      said += chunk;
      if (begun || !said.includes("charging 12 attempt 1")) continue;
      await server.kill();
      await server.start();
    }
    assert.deepEqual(await ended, [0, null]);
    assert.equal(said.split("result:").length, 2, said);
    assert.equal(said.split("charging").length, 2, "the attempt under way is the only one");
  } finally {
    example.kill("SIGKILL");
    await server.stop();
  }
});

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

it("runs what the read-me shows, with the package installed beside it", async () => {
  const root = new URL("../../", import.meta.url).pathname;
  const shown = /<!-- runs: (.*) -->\n```js\n([^]*?)```/.exec(
    readFileSync(join(root, "README.md"), "utf8"),
  );
  assert.ok(shown);
  const folder = mkdtempSync(join(tmpdir(), "fermata-read-me-"));
  const server = await Server.started();
  try {
    mkdirSync(join(folder, "node_modules", "@fermata"), { recursive: true });
    symlinkSync(root, join(folder, "node_modules", "@fermata", "sdk"));
    const file = join(folder, "hello.mjs");
    writeFileSync(file, shown[2] ?? "");
    const env = { ...process.env, FERMATA_SERVER: server.url };
    const ran = await promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 });
    assert.equal(ran.stdout, shown[1] + "\n", ran.stderr);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
