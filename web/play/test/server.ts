/** The server that comes with the Python package, in a process of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PYTHON, ROOT } from "./table.js";

export interface Server {
  url: string;
  port: number;
  /** End it at once, as a crash would. */
  kill(): Promise<void>;
}

/** `kuku play --web` with these arguments; port 0 takes a free one. */
export async function startServer(folder: string, port: number, more: string[] = []) {
  const command = ["-m", "kuku_env", "play", "--web", "--games", folder, "--port", String(port)];
  const server = spawn(PYTHON, [...command, ...more], {
    cwd: ROOT,
    env: { ...process.env, PYTHONPATH: ROOT },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line);
    const found = /play on (http:\S+?:(\d+))/.exec(line);
    if (found) return running(server, found[1] as string, Number(found[2]));
  }
  throw new Error(`the server did not start: ${said.join("\n")}`);
}

function running(server: ChildProcess, url: string, port: number): Server {
  const kill = async () => {
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
  };
  return { url, port, kill };
}
