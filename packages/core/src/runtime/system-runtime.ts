import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { longTimer } from './long-timer.ts';
import { afterInput, findNextTick } from './node-globals.ts';
import type { Logger, Runtime, Tracer } from './runtime.ts';
import { silentLogger, silentTracer } from './silent.ts';

/**
 * Returns the real clock, randomness and timers of Node, Bun, Deno and workers. Without a logger
 * or tracer, nothing is logged or recorded. Throws `INVALID_INPUT` for unknown options.
 */
export function systemRuntime(options: { logger?: Logger | undefined; tracer?: Tracer | undefined } = {}): Runtime {
  rejectUnknownOptions(options, optionNames<typeof options>({ logger: true, tracer: true }), 'systemRuntime');
  // Ids are a random prefix and a counter: sixty times cheaper than a UUID. Ids that outlive the process get a UUID. Cloudflare
  // Workers allow no random values before the first request, when services are created.
  let prefix: string | undefined;
  let count = 0;
  const afterMicrotasks = findNextTick();
  return {
    now: () => Date.now() / 1000,
    monotonic: () => performance.now(),
    newId(kind) {
      if (kind === 'session' || kind === 'incarnation') return crypto.randomUUID();
      prefix ??= crypto.randomUUID().replaceAll('-', '').slice(0, 20);
      return `${kind}-${prefix}-${(count++).toString(36)}`;
    },
    random: () => Math.random(),
    sleep,
    timer: (ms, fn, options) => longTimer(ms, fn, options?.keepAlive ? undefined : unrefHandle),
    eventLoopTurn,
    ...(afterMicrotasks && { afterMicrotasks: () => new Promise<void>((resolve) => afterMicrotasks(resolve)) }),
    logger: options.logger ?? silentLogger,
    tracer: options.tracer ?? silentTracer,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const abort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = longTimer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => afterInput(resolve));
}

// Node, Bun and Deno return a handle with `unref`; browsers and workers return a number.
function unrefHandle(handle: unknown): void {
  if (typeof handle === 'object' && handle !== null && 'unref' in handle) (handle as { unref(): void }).unref();
}
