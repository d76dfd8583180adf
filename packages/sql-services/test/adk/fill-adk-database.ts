// Writes two sessions with Google's ADK for TypeScript to a SQLite file (`--path`) or a PostgreSQL database (`--url`), and
// prints the events that ADK reads. Installs the package and its drivers in a folder outside the workspace if needed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fetchPackage } from '../../../../scripts/fetch-package.mjs';

interface Adk {
  DatabaseSessionService: new (options: object) => {
    createSession(request: object): Promise<{ id: string }>;
    appendEvent(request: object): Promise<unknown>;
    getSession(request: object): Promise<{ events: { id: string; timestamp: number }[] } | undefined>;
  };
  createEvent(init: object): object;
}

const drivers = ['@mikro-orm/libsql@6.6.16', '@mikro-orm/postgresql@6.6.16'];

function runWithDrivers(command: string, args: string[], options: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, ...drivers], options);
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const fetch = fetchPackage as (name: string, version: string, options: object) => Promise<string>;
const folder = await fetch('@google/adk', '2.0.0', { group: 'adk-with-drivers', run: runWithDrivers });
const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(folder, '../..', path)).href);
const adk = (await load('@google/adk/dist/esm/index.js')) as Adk;
const { LibSqlDriver } = (await load('@mikro-orm/libsql/index.mjs')) as { LibSqlDriver: unknown };
const { PostgreSqlDriver } = (await load('@mikro-orm/postgresql/index.mjs')) as { PostgreSqlDriver: unknown };

const { path, url } = parseArgs({ options: { path: { type: 'string' }, url: { type: 'string' } } }).values;
const service = new adk.DatabaseSessionService(
  path === undefined ? { driver: PostgreSqlDriver, clientUrl: url } : { driver: LibSqlDriver, dbName: path },
);
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const session = await service.createSession({ ...ref, state: { first: 1, 'user:b': { snake_key: 2 }, 'app:c': 3 } });
const append = (event: object): Promise<unknown> => service.appendEvent({ session, event: adk.createEvent(event) });
await append({ author: 'user', invocationId: 'i1', content: { role: 'user', parts: [{ text: 'Hi' }] } });
const functionCall = { id: 'c1', name: 'look_up', args: { camelArg: { snake_arg: 1 } } };
const actions = {
  ...{ stateDelta: { camelKey: { snake_key: 1 }, 'temp:x': 1 }, artifactDelta: { 'a_b.txt': 0 } },
  ...{ requestedAuthConfigs: {}, requestedToolConfirmations: {} },
};
await append({ author: 'root', invocationId: 'i1', content: { role: 'model', parts: [{ functionCall }] }, actions });
// A `CompactedEvent`, as its summarizers create it.
const [first] = (await service.getSession(ref))!.events;
const times = { startTime: first!.timestamp, endTime: first!.timestamp };
const summary = { author: 'system', invocationId: '', content: { role: 'model', parts: [{ text: 'They met.' }] } };
const compacted = { isCompacted: true, ...times, compactedContent: 'They met.' };
await service.appendEvent({ session, event: { ...adk.createEvent(summary), ...compacted } });
await service.createSession({ ...ref, sessionId: 'empty' });
const { events } = (await service.getSession(ref))!;
process.stdout.write(`${JSON.stringify(events.map(({ id, timestamp }) => ({ id, timestamp })))}\n`);
process.exit(0);
