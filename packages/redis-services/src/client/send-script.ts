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
 * writes of one connection.
 */
export async function sendAndWait(
  client: Resp2Client,
  call: ScriptCall,
  all: readonly ScriptArgument[],
  { replicas: needed, timeoutMs }: RedisWait,
): Promise<ScriptReply> {
  const addCommands: ScriptCall['addCommands'] = (commands) => commands.wait(needed, timeoutMs);
  const [reply, waited] = await sendPipeline(client, { ...call, addCommands }, all);
  if (WROTE_NOTHING.has(statusOf(reply))) return reply;
  const [waitError, replicas] = waited!;
  if (waitError) throw waitError;
  if (Number(replicas) >= needed) return reply;
  throw new TholeError(
    'STORE_OUTCOME_UNKNOWN',
    `The write is stored, but only ${Number(replicas)} of ${needed} replicas have it after ${timeoutMs} ms. A failover may lose it.`,
  );
}

/**
 * Sends a script and the commands after it. Returns all replies, null for a command that failed. After a cut connection, the client sends
 * none of the commands again if it has the reply of the script, and a Cluster client follows no slot that has moved. Throws the error of
 * the script.
 */
export async function sendWithCommands(
  client: Resp2Client,
  call: ScriptCall,
  all: readonly ScriptArgument[],
): Promise<ScriptReply[]> {
  const [reply, ...others] = await sendPipeline(client, call, all);
  return [reply, ...others.map(([error, value]) => (error ? null : (value as ScriptReply)))];
}

type Result = [error: Error | null, reply: unknown];

/** Sends a script and the commands after it on one connection, also on Cluster. Throws the error of the script. */
async function sendPipeline(
  client: Resp2Client,
  { addCommands, keys, script }: ScriptCall,
  all: readonly ScriptArgument[],
): Promise<[ScriptReply, ...Result[]]> {
  const send = (command: 'evalsha' | 'eval', text: string): Promise<Result[] | null> => {
    const pipeline = client.pipeline();
    void (pipeline as unknown as Evaluators)[command](text, keys.length, all);
    return addCommands!(pipeline).exec();
  };
  let results = await send('evalsha', script.sha);
  if (isNoScript(results?.[0]?.[0])) results = await send('eval', script.source);
  const [[scriptError, reply], ...others] = results as [[Error | null, ScriptReply], ...Result[]];
  if (scriptError) throw scriptError;
  return [reply, ...others];
}

/** Returns the first element of a reply that is a list: the outcome of a script, such as `LATE`. */
export function statusOf(reply: ScriptReply): unknown {
  return Array.isArray(reply) ? reply[0] : undefined;
}
