/** A plain static web server: no special headers, as any other. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

export interface Server {
  url: string;
  close(): void;
}

/** Answers what is posted to a path, with JSON. */
export type Answer = (path: string, body: string) => Promise<string>;

/**
 * Serve folders under paths (`{"/": folder}`), and pages of given text, on a free port; what is
 * posted goes to `answer`.
 */
export async function serve(
  folders: Record<string, string>,
  pages: Record<string, string> = {},
  answer?: Answer,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    try {
      if (path === "/favicon.ico") {
        response.writeHead(204).end(); // browsers ask for it by themselves
        return;
      }
      if (answer && request.method === "POST") {
        const body = (await request.setEncoding("utf-8").toArray()).join("");
        response.writeHead(200, { "content-type": TYPES[".json"] }).end(await answer(path, body));
        return;
      }
      const body = pages[path] ?? (await readFile(fileOf(folders, path)));
      const type = path in pages ? ".html" : extname(path);
      response.writeHead(200, { "content-type": TYPES[type] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** The file of a path, by the longest prefix that is served. */
function fileOf(folders: Record<string, string>, path: string): string {
  const prefixes = Object.keys(folders).filter((prefix) => path.startsWith(prefix));
  const [prefix] = prefixes.sort((one, other) => other.length - one.length);
  if (prefix === undefined) throw new Error(`nothing is served at ${path}`);
  return join(folders[prefix] as string, path.slice(prefix.length));
}
