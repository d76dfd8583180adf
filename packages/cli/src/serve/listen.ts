import { TholeError } from '@thole/core';
import { serve } from '@thole/server/node';
import type { Served } from '@thole/server/node';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { linesTo } from '../terminal/write-to.ts';
import type { ReloadableHandler } from './reloadable-handler.ts';
import { keepToken } from './page-token.ts';
import type { ServeAgentsOptions } from './serve-agents.ts';

/** Listens until somebody interrupts, and then until runs have ended, or are aborted by a second time. Answers the exit code. */
export async function listen(host: Host, live: ReloadableHandler, options: ServeAgentsOptions): Promise<number> {
  const { urlPrefix, token, withPage } = options;
  const before = (request: Request): Response | undefined =>
    withPage && token !== undefined ? keepToken(request, urlPrefix) : undefined;
  let interrupts = 0;
  let interrupted = (): void => {};
  const asked = new Promise<void>((resolve) => (interrupted = resolve));
  const quiet = host.onInterrupt(() => {
    interrupts++;
    if (interrupts === 1) interrupted();
    else void live.abort();
  });
  try {
    const { host: address, port, allowedHosts } = options;
    const served = await serve(live.handler(before), { host: address, port, allowedHosts }).catch((error: unknown) => {
      throw explained(error, options);
    });
    announce(host, served, live, options);
    await asked;
    linesTo(host.output)('Stopping; Ctrl-C again aborts what still runs.');
    await served.close();
    return 0;
  } finally {
    quiet();
  }
}

/** Why it cannot listen, in the words of the command's options. */
function explained(error: unknown, { host, port }: ServeAgentsOptions): unknown {
  if (TholeError.is(error, 'FORBIDDEN'))
    return usageError(`Others can reach ${host}: give a --token, or set THOLE_TOKEN, that who asks must show.`);
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  if (code === 'EADDRINUSE')
    return new TholeError('INVALID_INPUT', `Port ${port} is taken: choose another with --port, or --port 0 for any.`, {
      cause: error,
    });
  return error;
}

function announce(
  host: Host,
  { url }: Served,
  live: ReloadableHandler,
  { urlPrefix, token, withPage }: ServeAgentsOptions,
): void {
  const print = linesTo(host.output);
  const names = live.agents.map(({ runner }) => runner.appName).join(', ');
  const address = url + urlPrefix;
  print(`Serving ${names}`);
  print(
    `  ${address}${withPage ? '/dev-ui/' : ''}${withPage && token !== undefined ? `?token=${encodeURIComponent(token)}` : ''}`,
  );
  print('  Ctrl-C stops it.');
}
