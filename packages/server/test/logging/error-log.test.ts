import type { Agent, Logger } from '@thole/core';
import { createEvent, silentLogger, systemRuntime } from '@thole/core';
import { fails, FixedRuntime, says } from '@thole/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SpanMemory } from '../../src/index.ts';
import type { HandlerOptions } from '../../src/index.ts';
import { demo, sessionPath } from '../demo.ts';
import type { Demo } from '../demo.ts';

const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432');

/** A demo whose sessions cannot be read. */
async function withBrokenSessions(options: Partial<HandlerOptions> = {}): Promise<Demo> {
  const broken = await demo(options);
  broken.sessions.getSession = () => Promise.reject(new TypeError('rows is not iterable', { cause }));
  return broken;
}

const failing: Agent = {
  name: 'failing',
  async *runAsync(context) {
    yield createEvent({ author: 'failing', content: { role: 'model', parts: [{ text: 'So far.' }] } }, context.runtime);
    throw new TypeError('rows is not iterable', { cause });
  },
} as Agent;

/** Records the lines that are written with `console.error`. */
function recordConsole(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe('createHandler without a logger', () => {
  it('logs a failed request with its causes as one line on the console', async () => {
    const lines = recordConsole();
    for (const options of [{}, { runtime: systemRuntime() }]) {
      const { get } = await withBrokenSessions(options);
      expect(await (await get(sessionPath)).json()).toEqual({ detail: 'The server failed.', code: 'INTERNAL' });
    }
    const line = expect.stringMatching(
      /^\d\d:\d\d:\d\d error {3}A request failed\. TypeError: rows is not iterable < caused by: Error: connect ECONNREFUSED 10\.0\.0\.7:5432 method=GET path=\/apps\/demo\/users\/ann\/sessions\/s$/,
    ) as string;
    expect(lines).toEqual([line, line]);
  });

  it('uses silentLogger, the runtime’s logger or the logger option', async () => {
    const lines = recordConsole();
    const runtime = new FixedRuntime();
    const other = new FixedRuntime();
    await (await withBrokenSessions({ logger: silentLogger })).get(sessionPath);
    await (await withBrokenSessions({ runtime })).get(sessionPath);
    await (await withBrokenSessions({ runtime, logger: other.logger })).get(sessionPath);
    expect(lines).toEqual([]);
    for (const { logs } of [runtime, other])
      expect(logs).toMatchObject([
        { level: 'error', message: 'A request failed.', fields: { error: 'TypeError: rows is not iterable' } },
      ]);
  });
});

describe('createHandler with a logger', () => {
  const log = (): { logger: Logger; logs: FixedRuntime['logs'] } => {
    const { logger, logs } = new FixedRuntime();
    return { logger, logs };
  };

  it.each(['abort', 'continue'] as const)(
    'logs an error of /run_sse once with onDisconnect %s',
    async (onDisconnect) => {
      const { logger, logs } = log();
      const { run } = await demo({ logger, onDisconnect, rootAgent: failing });
      const response = await run('/run_sse');
      const frames = await response.text();
      expect(frames).not.toMatch(/rows|ECONNREFUSED|\.ts:/);
      const runErrors = logs.filter(({ message }) => message === 'A run failed.');
      expect(runErrors).toMatchObject([
        {
          level: 'error',
          fields: {
            code: 'AGENT_FAILED',
            causes: [
              {
                error: 'TypeError: rows is not iterable',
                stack: expect.stringContaining('error-log.test.ts') as string,
              },
              { error: `Error: ${cause.message}` },
            ],
            ...{ appName: 'demo', userId: 'ann', sessionId: 's' },
            invocationId: response.headers.get('x-thole-invocation-id'),
          },
        },
      ]);
    },
  );

  it('logs an error of /run once, and client errors at level info', async () => {
    const { logger, logs } = log();
    const { run } = await demo({ logger, rootAgent: failing });
    expect((await run('/run')).status).toBe(500);
    expect(logs.filter(({ level }) => level === 'error')).toHaveLength(1);
    const clientErrors = log();
    const other = await demo({ logger: clientErrors.logger, answers: [says('Hello.')] });
    expect((await other.run('/run', { sessionId: 'nowhere' })).status).toBe(404);
    expect(clientErrors.logs.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

describe('a server that is closing', () => {
  it('logs rejected runs at level info', async () => {
    const { logger, logs } = new FixedRuntime();
    const { handler, run } = await demo({ logger });
    await handler.close();
    for (const path of ['/run', '/run_sse'] as const) expect((await run(path)).status).toBe(503);
    expect(logs.map(({ level }) => level)).toEqual(['info', 'info']);
  });
});

describe('createHandler with development', () => {
  it('adds message, causes and stack to responses of status 500 only', async () => {
    const { get } = await withBrokenSessions({ development: true, logger: silentLogger });
    const body = await (await get(sessionPath)).json();
    expect(body).toEqual({
      detail: 'The server failed.',
      code: 'INTERNAL',
      debug: {
        message: 'TypeError: rows is not iterable',
        stack: expect.stringContaining('error-log.test.ts') as string,
        causes: [`Error: ${cause.message}`],
      },
    });
    expect(await (await get('/nowhere')).json()).not.toHaveProperty('debug');
  });

  it.each(['abort', 'continue'] as const)(
    'adds message, causes and stack to the last frame, with onDisconnect %s',
    async (onDisconnect) => {
      const { run } = await demo({ development: true, logger: silentLogger, onDisconnect, rootAgent: failing });
      const last = (await (await run('/run_sse')).text()).trim().split('\n\n').at(-1)!;
      const frame = JSON.parse(last.replace('data: ', '')) as { error: string; debug: { message: string } };
      expect(frame).toMatchObject({
        errorDetails: { retryable: false },
        debug: {
          stack: expect.any(String) as string,
          causes: expect.arrayContaining([`Error: ${cause.message}`]) as string[],
        },
      });
      expect(JSON.stringify(frame.debug)).toContain('rows is not iterable');
    },
  );

  it('rejects values other than true and false', async () => {
    await expect(demo({ development: 'yes' as never })).rejects.toThrow('development must be true or false');
  });
});

describe('SpanMemory', () => {
  it('records message, causes and stack of an error', async () => {
    const traces = new SpanMemory();
    const error = new Error('No answer.', { cause });
    const { run, get } = await demo({ traces, logger: silentLogger, answers: [fails(error)] });
    await run('/run');
    const spans = (await (await get('/dev/apps/demo/debug/trace/session/s')).json()) as {
      name: string;
      attributes: Record<string, string>;
    }[];
    const failed = spans.filter(({ attributes }) => attributes['error.message']);
    expect(failed.length).toBeGreaterThan(0);
    expect(JSON.stringify(failed)).toContain('connect ECONNREFUSED 10.0.0.7:5432');
    expect(failed[0]!.attributes['exception.stacktrace']).toContain('at ');
  });
});
