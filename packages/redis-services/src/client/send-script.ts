import { TholeError } from '@thole/core';
import { isNoScript } from './map-redis-error.ts';
import type { Resp2Client } from './redis-client.ts';
import type { RedisWait } from './redis-options.ts';
import type { ScriptArgument, ScriptCall, ScriptReply } from './script-call.ts';

/** The commands that run scripts. The types of ioredis do not include replies as buffers, and arguments as one array. */
type Evaluate = (script: string, keyCount: number, all: readonly ScriptArgument[]) => Promise<unknown>;
type Evaluators = Record<'evalsha' | 'eval' | 'evalshaBuffer' | 'evalBuffer', Evaluate>;

/** First elements of replies of scripts that wrote nothing: no replica needs to confirm them. */
const WROTE_NOTHING: ReadonlySet<unknown> = new Set([
  ...['LATE', 'NOT_FOUND', 'EXISTS', 'VERSION', 'LEASE_LOST', 'NOT_RUNNING'],
]);

/** Sends a script with its keys and arguments: only its SHA-1, or its source if the server does not know the script. */
export function sendScript(
  client: Resp2Client,
  { script: { sha, source }, keys, bytes }: ScriptCall,
  all: readonly ScriptArgument[],
  bySha: boolean,
): Promise<unknown> {
  const evaluators = client as unknown as Evaluators;
  if (bySha) return bytes ? evaluators.evalshaBuffer(sha, keys.length, all) : evaluators.evalsha(sha, keys.length, all);
  return bytes ? evaluators.evalBuffer(source, keys.length, all) : evaluators.eval(source, keys.length, all);
}

/**
 * Sends a script and waits until enough replicas have its writes. Throws `STORE_OUTCOME_UNKNOWN` if too few replicas have them. WAIT counts the
 * writes of one connection; a pipeline sends both commands on one connection, also on Cluster.
 */
export async function sendAndWait(
  client: Resp2Client,
  { script, keys }: ScriptCall,
  all: readonly ScriptArgument[],
  wait: RedisWait,
): Promise<ScriptReply> {
  const sendBoth = (command: 'evalsha' | 'eval', text: string) => {
    const pipeline = client.pipeline();
    void (pipeline as unknown as Evaluators)[command](text, keys.length, all);
    return pipeline.wait(wait.replicas, wait.timeoutMs).exec();
  };
  let results = await sendBoth('evalsha', script.sha);
  if (isNoScript(results?.[0]?.[0])) results = await sendBoth('eval', script.source);
  const [[scriptError, reply], [waitError, replicas]] = results as [[unknown, ScriptReply], [unknown, number]];
  if (scriptError) throw scriptError as Error;
  if (WROTE_NOTHING.has(statusOf(reply))) return reply;
  if (waitError) throw waitError as Error;
  if (Number(replicas) >= wait.replicas) return reply;
  throw new TholeError(
    'STORE_OUTCOME_UNKNOWN',
    `The write is stored, but only ${replicas} of ${wait.replicas} replicas have it after ${wait.timeoutMs} ms. A failover may lose it.`,
  );
}

/** Returns the first element of a reply that is a list: the outcome of a script, such as `LATE`. */
export function statusOf(reply: ScriptReply): unknown {
  return Array.isArray(reply) ? reply[0] : undefined;
}
