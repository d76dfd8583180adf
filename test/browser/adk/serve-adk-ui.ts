import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** ADK's web UI at a separate origin. */
export interface ServedAdkUi {
  /** Its origin. */
  origin: string;
  /** Sets the server for all pages that are loaded afterwards. */
  use(backendUrl: string): void;
  close(): void;
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Serves this folder on a free port of 127.0.0.1, with a runtime configuration that names our server. */
export async function serveAdkUi(folder: string): Promise<ServedAdkUi> {
  let backendUrl = '';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname === '/' ? '/index.html' : normalize(pathname);
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    if (path.endsWith('/runtime-config.json')) return void response.end(JSON.stringify({ backendUrl }));
    try {
      response.end(readFileSync(join(folder, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(url) {
      backendUrl = url;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
