// Measures the cost of the server per run, compared with Hono routes that call the same runner by hand, with a Hono
// server that sends a constant of the same size, and with ADK's server.
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchPeer } from '../scripts/fetch-package.mjs';
import { Figures, median } from './support/figures.ts';
import { inTurns } from './support/measure.ts';
import { RunSamples } from './support/run-samples.ts';
import { bodyOf, Served } from './support/served.ts';

const figures = new Figures();
const alsoInstalled = ['core', 'sqlite', 'mariadb', 'mssql', 'mysql', 'postgresql', 'knex', 'reflection'];
const peer: string = await fetchPeer('@google/adk-devtools', '2.0.0', {
  beside: alsoInstalled.map((name) => `@mikro-orm/${name}@6.6.16`),
});
const ours = await Served.start('ours');
const routes = await Served.start('routes');
const bare = await Served.start('bare');
const adk = await Served.start('adk', peer);

const run = await measureOurs({ path: '/run', count: 4_000, samples: 15, warmUp: 8 });
compare('POST /run at 16 connections: time of a run', { ...run, cost: 'wall', byHand: 1.5, constant: 2.5 });
const adkRun = await measure(adk, { path: '/run', count: 200, samples: 8 });
figures.compare(
  'POST /run: CPU of the server a run',
  { samples: run.ours.cpu },
  { samples: adkRun.cpu, of: 'adk-devtools' },
  1 / 3,
);
const oneEvent = await measureOurs({ path: '/run_sse', count: 2_000, samples: 15, warmUp: 8 });
compare('SSE of one event at 16 connections: time of a run', {
  ...oneEvent,
  cost: 'wall',
  byHand: 1,
  constant: 1 / 0.7,
});
const manyChunks = await measureOurs({ path: '/run_sse', count: 200, samples: 15, warmUp: 8, appName: 'streaming' });
compare('SSE of 100 chunks: CPU of the server a run', { ...manyChunks, cost: 'cpu', byHand: 1, constant: 1 });

const first: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
for (let sample = 0; sample < 300; sample++) {
  await inTurns(sample, [
    async () => void first.ours.push(await measureFirstByte(ours)),
    async () => void first.bare.push(await measureFirstByte(bare)),
  ]);
}
const difference = median(first.ours) - median(first.bare);
const ms = (value: number): string => `${value.toFixed(2)} ms`;
figures.add(
  'Time to the first byte of /run_sse, over that of hono (ms)',
  ms(median(first.ours)),
  `hono ${ms(median(first.bare))}`,
  difference,
  1,
);

const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const kinds = ['held', 'resident'] as const;
const memory: { held: number[]; resident: number[] } = { held: [], resident: [] };
const connections = await ours.connect(16);
for (let batch = 1; batch <= 100; batch++) {
  await ours.runs(connections, { path: batch % 2 === 0 ? '/run' : '/run_sse', count: 1_000 });
  if (batch !== 10 && batch !== 100) continue;
  await ours.send({ sessions: 0, prefix: '' });
  for (const kind of kinds) memory[kind].push(await ours.send({ memory: kind }));
}
for (const kind of kinds) {
  const [early, late] = memory[kind] as [number, number];
  const figure = `Memory (${kind}) after 100,000 runs, compared with 10,000`;
  // Resident memory depends on when the engine returns memory to the system.
  figures.add(figure, mb(late), mb(early), late / early, kind === 'held' ? 1.1 : undefined);
}

for (const mode of ['abort', 'continue']) {
  const slow = await Served.start('ours', mode);
  await slow.runs(await slow.connect(16), { path: '/run_sse', count: 10_000 });
  await slow.send({ sessions: 500, prefix: 's' });
  const before = { held: 0, resident: 0 };
  for (const kind of kinds) before[kind] = await slow.send({ memory: kind });
  const readers = await slow.connect(500);
  for (const [i, reader] of readers.entries()) {
    reader.pause();
    reader.send('/run_sse', bodyOf(`s${i}`, 'endless'));
  }
  await sleep(15_000);
  for (const kind of kinds) {
    const growth = (await slow.send({ memory: kind })) - before[kind];
    const figure = `Memory (${kind}) for 500 clients that read nothing, onDisconnect ${mode} (MiB)`;
    figures.add(figure, mb(growth), '–', growth / 2 ** 20, kind === 'held' ? 64 : undefined);
  }
  for (const reader of readers) reader.close();
  slow.stop();
}
figures.end();
for (const server of [ours, routes, bare, adk]) server.stop();
process.exit();

interface Series {
  path: string;
  count: number;
  samples: number;
  /** Number of batches before the measurement, until both servers are fully compiled. */
  warmUp?: number;
  appName?: string;
}

interface Compared {
  ours: RunSamples;
  routes: RunSamples;
  bare: RunSamples;
}

/** Measures our server, routes by hand and a constant response in turns. */
async function measureOurs(series: Series): Promise<Compared> {
  const all = {
    ours: [await ours.connect(16), ours] as const,
    routes: [await routes.connect(16), routes] as const,
    bare: [await bare.connect(16), bare] as const,
  };
  const measured: Compared = { ours: new RunSamples(), routes: new RunSamples(), bare: new RunSamples() };
  for (let sample = -(series.warmUp ?? 1); sample < series.samples; sample++) {
    await inTurns(
      Math.abs(sample),
      (['ours', 'routes', 'bare'] as const).map((who) => async () => {
        const cost = await all[who][1].runs(all[who][0], series);
        if (sample >= 0) measured[who].add(cost);
      }),
    );
  }
  return measured;
}

async function measure(server: Served, series: Series): Promise<RunSamples> {
  const samples = new RunSamples();
  const connected = await server.connect(16);
  for (let sample = -(series.warmUp ?? 1); sample < series.samples; sample++) {
    const cost = await server.runs(connected, series);
    if (sample >= 0) samples.add(cost);
  }
  return samples;
}

/** Returns the time to the first byte of a response body in milliseconds. */
async function measureFirstByte(server: Served): Promise<number> {
  await server.send({ sessions: 1, prefix: 'f' });
  const [connection] = await server.connect(1);
  const begin = performance.now();
  let took = 0;
  await connection!.post('/run_sse', bodyOf('f0'), () => (took = performance.now() - begin));
  connection!.close();
  return took;
}

/**
 * Adds two figures: our server compared with routes by hand, which do the same work, and with a constant response, whose time depends
 * mostly on the machine's sockets. `byHand` and `constant` are the limits.
 */
function compare(figure: string, p: Compared & { cost: 'wall' | 'cpu'; byHand: number; constant: number }): void {
  const ourCost = { samples: p.ours[p.cost] };
  figures.compare(figure, ourCost, { samples: p.routes[p.cost], of: 'hono and our runner' }, p.byHand);
  const constant = Number(p.constant.toFixed(3));
  figures.compare(figure, ourCost, { samples: p.bare[p.cost], of: 'hono and a constant' }, constant);
}
