import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backends, describeBackends } from '../../../../test/durability/backends.ts';
import type { Database } from '../../../../test/durability/backends.ts';
import { sharedPair } from '../../../../test/durability/child-pair.ts';
import { Child } from '../../../../test/durability/child.ts';
import { isLong } from '../../../../test/servers/index.ts';
import { allFrames, framesOf, describeFrame } from '../frames.ts';
import { message, postInit, session } from '../demo.ts';
import { PageChat } from '../ui/page-chat.ts';
import type { ChildOutput } from './serve-sessions.ts';

const testedBackends = backends.filter(({ name }) => name !== 'MariaDB');

describeBackends(testedBackends, (backend) => {
  let database: Database;
  let sessions = 0;
  beforeAll(async () => void (database = await backend.open()));
  afterAll(() => database.remove());
  const program = { program: join(import.meta.dirname, 'serve-sessions.ts'), isShared: true };
  const children = sharedPair(() => new Child<ChildOutput>(program, database.url));
  const urls = new Map<Child<ChildOutput>, string>();

  it('streams a run of another process to its end (contract 40)', async () => {
    const { first, second, sessionId } = await twoServers();
    const { invocation, received } = await startAndDisconnect(first, sessionId);
    expect(received).toEqual(['#2 look', '#3 look()']);
    const rest = readDescriptions(await second.get(invocation, { 'last-event-id': '2' }));
    const whole = readDescriptions(await second.get(invocation));
    first.child.say({ answer: 'Found.' });
    expect(await rest).toEqual(['#3 look()', '#4 Found.', ': done']);
    expect(await whole).toEqual(['#2 look', '#3 look()', '#4 Found.', ': done']);
    // Also after its end, in both processes.
    for (const server of [first, second])
      expect(await readDescriptions(await server.get(invocation, { 'last-event-id': '3' }))).toEqual([
        '#4 Found.',
        ': done',
      ]);
  });

  it('streams a run of another process to a page with useChat (contract 40)', async () => {
    const { first, second, sessionId } = await twoServers();
    const { invocation } = await startAndDisconnect(first, sessionId);
    const chat = new PageChat(fetch, { id: sessionId, origin: second.url });
    const resumed = chat.resumeStream();
    await expect.poll(() => chat.lastParts[0]).toMatchObject({ toolName: 'look', state: 'output-available' });
    first.child.say({ answer: 'Found.' });
    await resumed;
    expect([chat.error, chat.lastMessage!.id, chat.lastText]).toEqual([undefined, invocation, 'Found.']);
    const stream = `${second.url}/ui/demo/chat/${sessionId}/stream?userId=ann`;
    expect((await fetch(stream)).status).toBe(204);
  });

  it('cancels a run of another process, and both servers stream its end', async () => {
    const { first, second, sessionId } = await twoServers();
    const { invocation } = await startAndDisconnect(first, sessionId);
    const followed = [first, second].map(async (server) =>
      readDescriptions(await server.get(invocation, { 'last-event-id': '3' })),
    );
    const cancelled = await fetch(`${second.run(invocation)}/cancel`, postInit({}));
    expect(await cancelled.json()).toEqual({ cancelled: true });
    for (const words of await Promise.all(followed)) expect(words).toEqual(['#4 RUN_ABORTED', '! RUN_ABORTED']);
  });

  it('keeps the stream of a killed process open until the next message replaces its run (contract 40)', async () => {
    // The long series uses the runner's default lease of 30 s.
    const { first, second, sessionId } = await twoServers(isLong ? undefined : 2_000);
    const { invocation } = await startAndDisconnect(first, sessionId);
    const followed = readDescriptions(await second.get(invocation));
    children.forget();
    await first.child.kill();
    second.child.say({ answer: 'Here.' });
    const next = await fetch(`${second.url}/run_sse`, postInit(message({ sessionId })));
    const words = await readDescriptions(next);
    expect(words.map((each) => each.replace(/^#\d+ /, ''))).toEqual(['look', 'look()', 'Here.', ': done']);
    expect(await followed).toEqual(['#2 look', '#3 look()', '#4 RUN_SUPERSEDED', '! RUN_SUPERSEDED']);
  });

  it('continues a message that is sent again after its process was killed (contract 23)', async () => {
    const { first, second, sessionId } = await twoServers(isLong ? undefined : 2_000);
    const { invocation } = await startAndDisconnect(first, sessionId);
    children.forget();
    await first.child.kill();
    second.child.say({ answer: 'Here.' });
    const again = await sendKeyed(second, sessionId);
    expect(again.headers.get('x-thole-invocation-id')).toBe(invocation);
    expect(await readDescriptions(again)).toEqual(['#2 look', '#3 look()', '#4 Here.', ': done']);
  });

  interface Server {
    child: Child<ChildOutput>;
    url: string;
    run(invocation: string): string;
    get(invocation: string, headers?: Record<string, string>): Promise<Response>;
  }

  async function twoServers(ttlMs?: number): Promise<{ first: Server; second: Server; sessionId: string }> {
    const sessionId = `s${sessions++}`;
    const servers: Server[] = [];
    for (const child of children.get()) {
      if (!urls.has(child)) urls.set(child, ((await child.next()) as { url: string }).url);
      const url = urls.get(child)!;
      if (ttlMs !== undefined) {
        child.say({ ttlMs });
        expect(await child.next()).toEqual({ ttlMs });
      }
      const run = (invocation: string): string => `${url}/apps/demo/users/ann/sessions/${sessionId}/runs/${invocation}`;
      const get: Server['get'] = (invocation, headers = {}) => fetch(`${run(invocation)}/events`, { headers });
      servers.push({ child, url, run, get });
    }
    const [first, second] = servers as [Server, Server];
    const creation = await fetch(`${first.url}/apps/demo/users/ann/sessions`, postInit({ sessionId }));
    expect(creation.status).toBe(200);
    return { first, second, sessionId };
  }

  /** Resolves when the agent waits for its answer and its client has disconnected. */
  async function startAndDisconnect(
    first: Server,
    sessionId: string,
  ): Promise<{ invocation: string; received: string[] }> {
    const response = await sendKeyed(first, sessionId);
    const frames = framesOf(response);
    const received = [describeFrame((await frames.next()).value!), describeFrame((await frames.next()).value!)];
    await frames.return(undefined);
    expect(await first.child.next()).toEqual({ isWaiting: true });
    return { invocation: response.headers.get('x-thole-invocation-id')!, received };
  }
});

/** Sends the message of a session, with a key. */
function sendKeyed({ url }: { url: string }, sessionId: string): Promise<Response> {
  const headers = { 'idempotency-key': `message of ${sessionId}` };
  return fetch(`${url}/run_sse`, postInit({ ...message(), ...session, sessionId }, { headers }));
}

/** Returns a short text for each frame of a stream, without heartbeats. */
async function readDescriptions(response: Response): Promise<string[]> {
  expect(response.status).toBe(200);
  return (await allFrames(response)).map(describeFrame).filter((each) => each !== ': heartbeat');
}
