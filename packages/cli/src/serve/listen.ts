import { TholeError } from '@thole/core';
import { serve } from '@thole/server/node';
import type { RunningServer } from '@thole/server/node';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { tokenCookieResponse } from './page-token.ts';
import type { ReloadableHandler } from './reloadable-handler.ts';
import type { ServeAgentsOptions } from './serve-agents.ts';

/**
 * Serves until the first interrupt, then waits for active runs. A second interrupt aborts them. Returns the exit code.
 */
export async function listen(host: Host, reloadable: ReloadableHandler, options: ServeAgentsOptions): Promise<number> {
  const { urlPrefix, token, withPage } = options;
  const answerFirst = (request: Request): Response | undefined =>
    withPage && token !== undefined ? tokenCookieResponse(request, urlPrefix) : undefined;
  let interrupts = 0;
  const firstInterrupt = Promise.withResolvers<void>();
  const removeListener = host.onInterrupt(() => {
    interrupts++;
    if (interrupts === 1) firstInterrupt.resolve();
    else void reloadable.abort();
  });
  try {
    const { host: address, port, allowedHosts } = options;
    const handler = reloadable.handler(answerFirst);
    const server = await serve(handler, { host: address, port, allowedHosts }).catch((error: unknown) => {
      throw explainListenError(error, options);
    });
    announce(host, server, reloadable, options);
    await firstInterrupt.promise;
    lineWriter(host.output)('Stopping. Press Ctrl-C again to abort active runs.');
    await server.close();
    return 0;
  } finally {
    removeListener();
  }
}

/** Returns the error with the options of the command in its message. */
function explainListenError(error: unknown, { host, port }: ServeAgentsOptions): unknown {
  if (TholeError.is(error, 'FORBIDDEN'))
    return usageError(`Other machines can reach ${host}: set a --token, or the variable THOLE_TOKEN.`);
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  if (code === 'EADDRINUSE')
    return new TholeError('INVALID_INPUT', `Port ${port} is in use: choose another --port, or --port 0 for any.`, {
      cause: error,
    });
  return error;
}

function announce(
  host: Host,
  { url }: RunningServer,
  reloadable: ReloadableHandler,
  { urlPrefix, token, withPage }: ServeAgentsOptions,
): void {
  const print = lineWriter(host.output);
  const names = reloadable.agents.map(({ runner }) => runner.appName).join(', ');
  const address = url + urlPrefix;
  print(`Serving ${names}`);
  print(
    `  ${address}${withPage ? '/dev-ui/' : ''}${withPage && token !== undefined ? `?token=${encodeURIComponent(token)}` : ''}`,
  );
  print('  Press Ctrl-C to stop.');
}
