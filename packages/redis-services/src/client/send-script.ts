import { TholeError } from '@thole/core';
import { isNoScript } from './map-redis-error.ts';
import type { ScriptReply, ScriptArgument, ScriptCall } from './pending-call.ts';
import type { Resp2Client } from './redis-client.ts';
import type { RedisWait } from './redis-options.ts';

/** Clients flatten what they are given, which their types leave out, and so the forms that answer bytes: a list may be of any length. */
type Evaluate = (text: string, keys: number, all: readonly ScriptArgument[]) => Promise<unknown>;
type Evaluators = Record<'evalsha' | 'eval' | 'evalshaBuffer' | 'evalBuffer', Evaluate>;

/** Answers of scripts that wrote nothing, so that there is nothing for replicas to have. */
const REFUSALS: ReadonlySet<unknown> = new Set(['LATE', 'NOT_FOUND', 'EXISTS', 'VERSION', 'LEASE_LOST']);

/** Sends a script with keys and arguments: by its hash, or itself to a server that has not seen it. */
export function sendScript(
  client: Resp2Client,
  { script: { sha, source }, keys, bytes }: ScriptCall,
  all: readonly ScriptArgument[],
  byHash: boolean,
): Promise<unknown> {
  const evaluators = client as unknown as Evaluators;
  if (byHash)
    return bytes ? evaluators.evalshaBuffer(sha, keys.length, all) : evaluators.evalsha(sha, keys.length, all);
  return bytes ? evaluators.evalBuffer(source, keys.length, all) : evaluators.eval(source, keys.length, all);
}

/**
 * The same, and waits until replicas have what it wrote; `STORE_OUTCOME_UNKNOWN` when too few do. WAIT counts for the writes of
 * its own connection: a pipeline keeps the two together, on Cluster too.
 */
export async function sendAndWait(
  client: Resp2Client,
  { script, keys }: ScriptCall,
  all: readonly ScriptArgument[],
  wait: RedisWait,
): Promise<ScriptReply> {
  const pipeline = (form: 'evalsha' | 'eval', text: string) => {
    const both = client.pipeline();
    void (both as unknown as Evaluators)[form](text, keys.length, all);
    return both.wait(wait.replicas, wait.timeoutMs).exec();
  };
  let results = await pipeline('evalsha', script.sha);
  if (isNoScript(results?.[0]?.[0])) results = await pipeline('eval', script.source);
  const [[failed, answer], [unacknowledged, replicas]] = results as [[unknown, ScriptReply], [unknown, number]];
  if (failed) throw failed as Error;
  if (REFUSALS.has(statusOf(answer))) return answer;
  if (unacknowledged) throw unacknowledged as Error;
  if (Number(replicas) >= wait.replicas) return answer;
  throw new TholeError(
    'STORE_OUTCOME_UNKNOWN',
    `It was written, but ${replicas} of ${wait.replicas} replicas have it after ${wait.timeoutMs} ms: a failover may lose it.`,
  );
}

/** What an answer that is a list begins with. */
export function statusOf(answer: ScriptReply): unknown {
  return Array.isArray(answer) ? answer[0] : undefined;
}
