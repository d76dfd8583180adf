import { TholeError } from '@thole/core';
import type { InvocationContext } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { AutoIngestPlugin } from '@thole/memory';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

/** Returns a plugin with three ended runs, whose session service answers no call within its time limit of 5 s. */
function pluginWithSilentStore(isSilent: () => boolean) {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  let calls = 0;
  sessions.getSession = async () => {
    calls++;
    if (isSilent()) await runtime.sleep(5_000);
    throw new TholeError('STORE_UNAVAILABLE', 'The store did not answer.');
  };
  const failed: string[] = [];
  const plugin = new AutoIngestPlugin({
    ...{ sessions, memory: new InMemoryMemoryService({ runtime }), runtime },
    onError: ({ session }) => failed.push(session.sessionId),
  });
  for (const sessionId of ['a', 'b', 'c']) {
    const ended = { appName: 'app', userId: 'ann', sessionId, invocationId: 'i', history: [] };
    plugin.afterRunCallback({ invocationContext: ended as unknown as InvocationContext });
  }
  return { failed, plugin, runtime, calls: () => calls };
}

describe('AutoIngestPlugin.close', () => {
  it('ends 15 s after its start if the session service does not answer, and reports all sessions', async () => {
    const { failed, plugin, runtime } = pluginWithSilentStore(() => true);
    let isClosed = false;
    const closing = plugin.close().then(() => (isClosed = true));
    await runtime.advance(15_000);
    expect([isClosed, failed]).toEqual([true, ['a', 'b', 'c']]);
    await closing;
  });

  it('makes all attempts for each session if the service fails at once', async () => {
    const { calls, failed, plugin } = pluginWithSilentStore(() => false);
    await plugin.close();
    expect([calls(), failed]).toEqual([12, ['a', 'b', 'c']]);
  });
});
