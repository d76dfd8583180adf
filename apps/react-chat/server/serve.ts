import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startServer } from './start-server.ts';

const folder = fileURLToPath(new URL('../dist', import.meta.url));
if (!existsSync(folder)) {
  console.error('Build the page first: pnpm --dir apps/react-chat build');
  process.exit(1);
}
const server = await startServer({ folder, port: Number(process.env['PORT'] ?? 8000), env: process.env });
console.log(`Hotel concierge\n${server.notice}\n\nOpen ${server.url}/ in a browser. Ctrl-C stops the server.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
