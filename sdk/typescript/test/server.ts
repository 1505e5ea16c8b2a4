/** A real server for the tests: the binary that FERMATA_BINARY names, on a port of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

export class Server {
  readonly #data = mkdtempSync(join(tmpdir(), "fermata-sdk-"));
  readonly #log = openSync(join(this.#data, "log"), "a");
  #process: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  static async started(): Promise<Server> {
    const server = new Server(await freePort());
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const binary = process.env["FERMATA_BINARY"] ?? "build/release/fermata";
    const listen = `127.0.0.1:${this.port}`;
    const flags = ["serve", "--listen", listen, "--data", join(this.#data, "store")];
    this.#process = spawn(binary, flags, { stdio: ["ignore", this.#log, this.#log] });
    for (let i = 0; i < 400; ++i) {
      if (this.#process.exitCode !== null) break;
      const ready = await fetch(this.url + "/readyz").then(
        (answer) => answer.ok,
        () => false,
      );
      if (ready) return;
      await pause(50);
    }
    throw new Error("not ready: " + readFileSync(join(this.#data, "log"), "utf8"));
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.#data, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }
}
