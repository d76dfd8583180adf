import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent } from '@thole/concierge/agent';
import { chooseModel } from '@thole/concierge/model';
import { APP_NAME, openServices } from '@thole/concierge/services';
import { systemRuntime } from '@thole/core';
import type { EnvVars } from '@thole/core';
import { devUi } from '@thole/dev-ui';
import { ToolPolicyPlugin } from '@thole/runner';
import { createHandler } from '@thole/server';
import { toNodeListener } from '@thole/server/node';
import { readPageFile } from './read-page-file.ts';

/** A running server of the chat. */
export interface ChatServer {
  url: string;
  /** Name of the model, and a note if it is the demo model. */
  notice: string;
  close(): Promise<void>;
}

/**
 * Keeps other sites from showing the page in a frame, and answers from loading images or scripts of other hosts. Zod, which the AI SDK
 * uses, compiles schemas with `eval`.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-eval'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

/** Default pause between words of the demo model, so that its answers visibly stream. */
const WORD_DELAY_MS = 20;

/**
 * Serves the built page at `/`, and the API of the concierge. A guest must approve each booking. `wordDelayMs` is the pause
 * between words of the demo model. Default: 20.
 */
export async function startServer(p: {
  folder: string;
  port: number;
  env: EnvVars;
  wordDelayMs?: number | undefined;
}): Promise<ChatServer> {
  const { folder, port, env, wordDelayMs = WORD_DELAY_MS } = p;
  const runtime = systemRuntime();
  const model = chooseModel({ runtime, env, wordDelayMs });
  const { services, close } = await openServices({ memory: true, model, runtime, env });
  const { sessionService, memoryService, artifactService, plugins, tools, timeZone } = services;
  const approvals = new ToolPolicyPlugin({ rules: [{ tool: ['book_room', 'cancel_booking'], decision: 'ask' }] });
  const handler = createHandler({
    ...{ sessionService, memoryService, artifactService, runtime },
    ...{ ui: devUi(), onDisconnect: 'continue', recover: true },
    apps: [
      {
        name: APP_NAME,
        rootAgent: createAgent({ llm: model.llm, memoryTools: tools, timeZone }),
        plugins: [approvals, ...plugins],
      },
    ],
  });
  const listener = toNodeListener(handler);
  const server = createServer((request, response) => {
    void readPageFile(folder, request.url ?? '/').then((file) => {
      if (!file) return listener(request, response);
      const headers = { 'content-type': file.type, 'x-content-type-options': 'nosniff' };
      response.writeHead(200, { ...headers, 'content-security-policy': CONTENT_SECURITY_POLICY }).end(file.bytes);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(port, '127.0.0.1', listening.resolve);
  await listening.promise;
  services.start();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notice: model.notice,
    async close() {
      await handler.close({ timeoutMs: 5_000 });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}
