// Cost of appends and loads, compared with plain Redis commands that store JSON: CPU time of this process and of the server.
import { createHash } from 'node:crypto';
import type { Event, SessionRef } from '@thole/core';
import { createEvent } from '@thole/core';
import { RedisSessionService } from '@thole/redis-services';
import { Redis } from 'ioredis';
import { Figures } from '../../../bench/support/figures.ts';
import { clearNursery, cpuTime, inTurns } from '../../../bench/support/measure.ts';
import { startRedis } from '../../../test/servers/index.ts';

const [samples, batch, rounds, length] = [60, 32, 20, 1_000];
const server = await startRedis();
const client = new Redis(server.url);
const service = new RedisSessionService(client);
const ref = (sessionId: string): SessionRef => ({ appName: 'app', userId: 'u', sessionId });

// Stores the same without checks: the JSON of the event, its id and time in the record, and the lists of the user and the app.
const bareScript = `
local seq = redis.call('HINCRBY', KEYS[1], 'seq', 1)
redis.call('HSET', KEYS[1], ARGV[1], seq, 'ut', ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[4])
redis.call('ZADD', KEYS[4], ARGV[2], ARGV[5])
return seq`;
const sha = createHash('sha1').update(bareScript).digest('hex');
await client.script('LOAD', bareScript);

const longSession = ref('long');
await service.createSession(longSession);
await Promise.all(eventsOf(length).map((event) => service.appendEvent({ session: longSession, event })));
for (const event of (await service.getSession(longSession))!.events)
  await client.rpush('bare-long', JSON.stringify(event));

const costs = { append: [0], bareAppend: [0], load: [0], bareLoad: [0] };
let lastResult: unknown;
for (let sample = -20; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  await service.createSession(ref(`s${sample}`));
  const batches = Array.from({ length: rounds }, () => eventsOf(batch));
  clearNursery();
  await inTurns(Math.abs(sample), [
    () =>
      measure(costs.append, batch * rounds, async () => {
        const session = ref(`s${sample}`);
        for (const events of batches) await Promise.all(events.map((event) => service.appendEvent({ session, event })));
      }),
    () =>
      measure(costs.bareAppend, batch * rounds, async () => {
        for (const events of batches) await appendBare(`bare${sample}`, events);
      }),
  ]);
  await service.deleteSession(ref(`s${sample}`));
  await client.unlink(...keysOf(`bare${sample}`));
  clearNursery();
  await inTurns(Math.abs(sample), [
    () => measure(costs.load, 3, () => repeat(3, () => service.getSession(longSession))),
    () => measure(costs.bareLoad, 3, () => repeat(3, loadBare)),
  ]);
}

const figures = new Figures();
figures.compare(
  `append to Redis, ${batch} at once`,
  { samples: costs.append },
  { samples: costs.bareAppend, of: 'bare pipelined Lua append' },
  1.5,
);
figures.compare(
  `load of ${length.toLocaleString('en')} events from Redis`,
  { samples: costs.load },
  { samples: costs.bareLoad, of: 'LRANGE and JSON.parse' },
  1.5,
);
figures.end();
client.disconnect();
await server.remove();
void lastResult;

function eventsOf(count: number): Event[] {
  return Array.from({ length: count }, (_, i) => {
    const text = `Message ${i}: a few words of a guest about the room, the breakfast and the weather of today.`;
    const timestamp = Date.now() / 1000 + i / 1000;
    return createEvent({
      timestamp,
      author: 'user',
      invocationId: `i${i}`,
      content: { role: 'user', parts: [{ text }] },
    });
  });
}

async function appendBare(name: string, events: readonly Event[]): Promise<void> {
  const pipeline = client.pipeline();
  for (const event of events) {
    const time = String(event.timestamp);
    pipeline.evalsha(sha, 4, ...keysOf(name), event.id, time, JSON.stringify(event), name, `${name} of u`);
  }
  await pipeline.exec();
}

async function loadBare(): Promise<unknown> {
  return (await client.lrange('bare-long', 0, -1)).map((text) => JSON.parse(text) as unknown);
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) lastResult = await work();
}

// Keys of the same length as those of the service.
function keysOf(name: string): [string, string, string, string] {
  return [`thole:{app|u}:s:${name}`, `thole:{app|u}:e:${name}`, `thole:{app|u}:l:${name}`, `thole:{app}:l:${name}`];
}

async function measure(results: number[], units: number, work: () => Promise<unknown>): Promise<void> {
  const serverStart = await serverCpu();
  const processStart = cpuTime();
  lastResult = await work();
  results.push((cpuTime() - processStart + (await serverCpu()) - serverStart) / units);
}

/** Returns the CPU time of the server in microseconds. */
async function serverCpu(): Promise<number> {
  const info = await client.info('cpu');
  const valueOf = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)![1]);
  return (valueOf('used_cpu_user') + valueOf('used_cpu_sys')) * 1e6;
}
