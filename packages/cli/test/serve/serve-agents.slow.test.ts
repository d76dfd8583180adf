import { rmSync } from 'node:fs';
import { request, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createEvent, systemRuntime } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { InMemorySessionService } from '@thole/mem-services';
import { hangs, says, ScriptedLlm, streams } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/servers/free-port.ts';
import { agentText } from '../support/agent-text.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { Outcome, TholeOptions } from '../support/thole.ts';

interface Server {
  /** The printed URL without the path of the page. */
  url: string;
  outcome: Promise<Outcome>;
  interrupt: () => void;
  /** Resolves when the output or the error output contains the text. */
  until(text: string): Promise<void>;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Creates a session, sends a message in it, and returns the text of the answer. */
  send(app: string, sessionId: string, text: string): Promise<string>;
}

/** Starts the command on a free port. It is interrupted after the test. */
async function startServer(
  command: string,
  cwd: string,
  args: readonly string[] = [],
  options: TholeOptions = {},
): Promise<Server> {
  const seen = { output: '', errors: '' };
  const waiting = new Set<() => void>();
  const notify = (): void => {
    for (const each of waiting) each();
  };
  let interrupt = (): void => {};
  const outcome = thole([command, '.', '--port', '0', '--session_service_uri', 'memory://', ...args], {
    cwd,
    ...options,
    onStart: (interruptCommand) => (interrupt = interruptCommand),
    onOutput: (output) => {
      seen.output = output;
      notify();
    },
    onErrors: (errors) => {
      seen.errors = errors;
      notify();
    },
  });
  const until = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!seen.output.includes(text) && !seen.errors.includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const ended = outcome.then(({ code, errors }) => {
    throw new Error(`The command exited with ${code}: ${errors}`);
  });
  await Promise.race([until('Ctrl-C'), ended]);
  ended.catch(() => {});
  onTestFinished(async () => {
    interrupt();
    await outcome;
  });
  const [url] = /http:\/\/[\w.[\]:]+:\d+[\w/-]*?(?=\/dev-ui\/|\n)/.exec(seen.output)!;
  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(url + path, init);
  const post = (path: string, body: unknown): Promise<Response> =>
    get(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    ...{ url, outcome, interrupt: () => interrupt(), until, get },
    async send(appName, sessionId, text) {
      await post(`/apps/${appName}/users/u/sessions`, { sessionId });
      const newMessage = { role: 'user', parts: [{ text }] };
      const response = await post('/run', { appName, userId: 'u', sessionId, newMessage });
      const events = (await response.json()) as { content?: { parts?: { text?: string }[] } }[];
      return events.at(-1)?.content?.parts?.[0]?.text ?? '';
    },
  };
}

const scripted = (...answers: ScriptedAnswer[]): { rootAgent: LlmAgent } => ({
  rootAgent: new LlmAgent({ name: 'scripted', model: new ScriptedLlm(...answers) }),
});

/** Counts the writes to responses of Node's `http` until the end of the test. On the wire, Node merges them. */
function countWrites(): () => number {
  const { prototype } = ServerResponse;
  const { write } = prototype;
  let writes = 0;
  prototype.write = function (this: ServerResponse, ...args: Parameters<typeof write>): boolean {
    writes++;
    return write.apply(this, args);
  } as typeof write;
  onTestFinished(() => void (prototype.write = write));
  return () => writes;
}

describe('thole web', () => {
  it('serves the agents of a folder with the page, and exits with 0 at an interrupt', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', `'A' + said`), 'b.ts': agentText('b', `'B' + said`) });
    const server = await startServer('web', cwd);
    expect(await (await server.get('/list-apps')).json()).toEqual(['a', 'b']);
    expect(await server.send('a', 's', '1')).toBe('A1');
    expect(await server.send('b', 's', '2')).toBe('B2');
    const page = await server.get('/dev-ui/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    server.interrupt();
    const { code, output, errors } = await server.outcome;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^Serving a, b\n {2}http:\/\/127\.0\.0\.1:\d+\/dev-ui\/\n/);
  });

  it('continues an invocation of a dead process, and logs it', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', `'Recovered ' + said`) });
    const db = `sqlite:///${join(cwd, 'left.db')}`;
    const sessions = new DatabaseSessionService(db);
    const session = { appName: 'a', userId: 'u', sessionId: 's' };
    await sessions.createSession(session);
    const content = { role: 'user' as const, parts: [{ text: 'Hello' }] };
    const event = createEvent({ author: 'user', invocationId: 'i1', content });
    await sessions.appendEvent({ session, event, marks: { unfinished: 'i1' } });
    const server = await startServer('web', cwd, ['--session_service_uri', db]);
    await server.until('Recovered an invocation.');
    expect((await sessions.getSession(session))!.events.at(-1)?.content?.parts).toEqual([{ text: 'Recovered Hello' }]);
    await sessions.close();
  });

  it('records traces', async () => {
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': '' }), [], {
      modules: { 'a/agent.ts': scripted(says('Hi.')) },
    });
    expect(await server.send('a', 's', 'Hello')).toBe('Hi.');
    expect((await (await server.get('/debug/trace/session/s')).json()) as unknown[]).not.toEqual([]);
  });

  it('serves apps, and runners with their own services', async () => {
    const agent = new LlmAgent({ name: 'x', model: new ScriptedLlm(says('Own.')) });
    const runner = new Runner({ appName: 'own', agent, sessionService: new InMemorySessionService() });
    const modules = { 'a/agent.ts': { runner }, 'b/agent.ts': scripted(says('Shared.')) };
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': '', 'b/agent.ts': '' }), [], { modules });
    expect([await server.send('own', 's', 'x'), await server.send('b', 's', 'x')]).toEqual(['Own.', 'Shared.']);
  });

  it('requires the token of THOLE_TOKEN, and prints a URL of the page with the token', async () => {
    const env = { THOLE_TOKEN: 'let+me/in' };
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [], { env });
    expect((await server.get('/list-apps')).status).toBe(401);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer let+me/in' } })).status).toBe(200);
    server.interrupt();
    expect((await server.outcome).output).toContain('/dev-ui/?token=let%2Bme%2Fin\n');
  });

  it('accepts the token as a bearer token, and as the cookie of the printed URL', async () => {
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
      '--token',
      'secret+1',
    ]);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer secret+1' } })).status).toBe(200);
    const opened = await server.get('/dev-ui/?token=secret%2B1', { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/dev-ui/']);
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/);
    const withCookie = { headers: { cookie: cookie.split(';')[0]! } };
    expect((await server.get('/list-apps', withCookie)).status).toBe(200);
    expect((await server.get('/dev-ui/', withCookie)).status).toBe(200);
    expect((await server.get('/list-apps', { headers: { cookie: 'thole_token=wrong' } })).status).toBe(401);
    expect((await server.get('/list-apps')).status).toBe(401);
  });

  it('keeps memory in the database of --memory_service_uri for later commands', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const args = ['--memory_service_uri', 'sqlite:///./memory.db'];
    const first = await startServer('web', cwd, args);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ memories: [{ text: 'Likes figs.' }] });
    expect((await first.get('/apps/a/users/u/memory', { method: 'POST', headers, body })).status).toBe(200);
    first.interrupt();
    expect((await first.outcome).code).toBe(0);
    const later = await startServer('api_server', cwd, args);
    const found = await (await later.get('/apps/a/users/u/memory?query=figs')).json();
    expect(found).toMatchObject({ memories: [{ kind: 'note', content: { parts: [{ text: 'Likes figs.' }] } }] });
  });

  it('serves all paths below --url_prefix', async () => {
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
      '--url_prefix',
      '/agents/',
    ]);
    expect(server.url).toMatch(/\/agents$/);
    expect(await (await server.get('/list-apps')).json()).toEqual(['a']);
    expect((await server.get('/dev-ui/')).status).toBe(200);
  });
});

describe('thole api_server', () => {
  it('sends a stream of 100 parts in 2 writes', async () => {
    const modules = { 'a/agent.ts': scripted(streams(...Array.from({ length: 100 }, () => 'a'))) };
    // With `eventLoopTurn`, a run that has worked for 50 ms lets other work run, and needs another write.
    const { eventLoopTurn: _, ...runtime } = systemRuntime();
    const { get } = await startServer('api_server', temporaryFolder({ 'a/agent.ts': '' }), [], { modules, runtime });
    expect((await get('/apps/a/users/u/sessions/s', { method: 'POST' })).status).toBe(200);
    const newMessage = { role: 'user', parts: [{ text: 'Hello' }] };
    const body = JSON.stringify({ appName: 'a', userId: 'u', sessionId: 's', newMessage, streaming: true });
    const writes = countWrites();
    const response = await get('/run_sse', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect((await response.text()).match(/"partial":true/g)).toHaveLength(100);
    expect(writes()).toBe(2);
  });

  it('serves the API without the page, in both spellings', async () => {
    for (const command of ['api_server', 'api-server']) {
      const server = await startServer(command, temporaryFolder({ 'a/agent.ts': agentText('a', 'said') }));
      expect(await server.send('a', 's', 'x')).toBe('x');
      expect((await server.get('/dev-ui/')).status).toBe(404);
    }
  });

  it('accepts the origins of --allow_origins, repeated or as a list, and no others', async () => {
    const args = ['--allow_origins', 'https://a.example,https://b.example', '--allow-origins', 'https://c.example'];
    const server = await startServer('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), args);
    const allowed = async (origin: string): Promise<string | null> =>
      (await server.get('/list-apps', { headers: { origin } })).headers.get('access-control-allow-origin');
    for (const origin of ['https://a.example', 'https://b.example', 'https://c.example'])
      expect(await allowed(origin)).toBe(origin);
    expect(await allowed('https://d.example')).toBeNull();
  });
});

describe('thole api_server options', () => {
  it('listens on --host and --port', async () => {
    const port = String(await freePort());
    const args = ['--host', 'localhost', '--port', port];
    const server = await startServer('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), args);
    expect(new URL(server.url).port).toBe(port);
    expect((await server.get('/health')).status).toBe(200);
  });

  it('accepts requests for this machine and for --allowed_hosts only', async () => {
    const server = await startServer('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
      '--allowed_hosts',
      'agents.example',
    ]);
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${server.url}/health`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        outgoing.on('error', reject);
        outgoing.end();
      });
    expect([await statusFor('localhost'), await statusFor('agents.example'), await statusFor('evil.example')]).toEqual([
      200, 200, 403,
    ]);
  });
});

describe('thole web with invalid values', () => {
  const runWeb = (args: readonly string[], files: { [path: string]: string }): Promise<Outcome> =>
    thole(['web', '.', '--session_service_uri', 'memory://', ...args], { cwd: temporaryFolder(files) });

  it('rejects a host that other machines can reach without a token', async () => {
    const { code, errors } = await runWeb(['--host', '0.0.0.0', '--port', '0'], { 'agent.ts': agentText('a', '1') });
    expect(code).toBe(2);
    expect(errors).toBe('error: Other machines can reach 0.0.0.0: set a --token, or the variable THOLE_TOKEN.\n');
  });

  it('prints host and reason if a database does not respond', async () => {
    const uri = 'postgresql://ada:secret@127.0.0.1:1/thole';
    const files = { 'agent.ts': agentText('a', '1') };
    const { code, errors } = await runWeb(['--session_service_uri', uri], files);
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^error: .* at 127\.0\.0\.1:1 did not answer: .* < caused by: Error: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    );
    expect(errors).not.toContain('secret');
  });

  it.each([
    ['--allow_origins', 'https://a.example/'],
    ['--allowed_hosts', 'https://a.example'],
  ])('names the option %s in the error for a wrong value', async (option, value) => {
    const { code, errors } = await runWeb(['--port', '0', option, value], { 'agent.ts': agentText('a', '1') });
    expect(code).toBe(2);
    expect(errors).toMatch(new RegExp(`^error: ${option} must contain `));
  });

  it('rejects a token that cannot be in a header', async () => {
    const { code, errors } = await runWeb(['--token', 'two words'], { 'agent.ts': agentText('a', '1') });
    expect({ code, errors }).toEqual({
      code: 2,
      errors: 'error: The token must be ASCII text without spaces.\n',
    });
  });

  it('rejects an empty --token, which would serve without a token', async () => {
    const { code, errors } = await runWeb(['--token', ''], { 'agent.ts': agentText('a', '1') });
    expect({ code, errors }).toEqual({ code: 2, errors: 'error: --token must not be empty.\n' });
  });

  it('rejects a port that is in use', async () => {
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }));
    const { port } = new URL(server.url);
    const { code, errors } = await runWeb(['--port', port], { 'agent.ts': agentText('a', '1') });
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `error: Port ${port} is in use: choose another --port, or --port 0 for any.\n`,
    });
  });

  it('rejects a folder without an agent', async () => {
    const { code, errors } = await runWeb([], {});
    expect(code).toBe(2);
    expect(errors).toMatch(/^error: There is no agent in \.: it needs an agent\.ts that exports rootAgent/);
  });

  it('rejects a folder whose only agent is invalid', async () => {
    const { code, errors } = await runWeb([], { 'a/agent.ts': 'enum A {}' });
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: a\/agent\.ts:1: TypeScript enum/);
  });

  it('rejects two apps with one name', async () => {
    const { code, errors } = await runWeb([], { 'a/agent.ts': agentText('a', '1'), 'a.ts': agentText('a', '1') });
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: Two apps have the name a: in \S+\.ts and in \S+\.ts\. Rename one of them\.\n$/);
  });

  it('prints the error of an invalid agent, and serves the others', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1'), 'b/agent.ts': 'throw new Error("No luck")' });
    const server = await startServer('web', cwd);
    await server.until('error: b/agent.ts:1: No luck.');
    expect(await (await server.get('/list-apps')).json()).toEqual(['a']);
  });
});

describe('thole web with --reload', () => {
  it('serves the current content of the files, with existing sessions', async () => {
    const cwd = temporaryFolder({
      'a/agent.ts': agentText('a', 'word', `import { word } from './word.ts';`),
      'a/word.ts': `export const word = 'old';`,
    });
    const server = await startServer('web', cwd);
    expect(await server.send('a', 's', 'x')).toBe('old');
    writeFiles(cwd, { 'a/word.ts': `export const word = 'new';` });
    await server.until('Reloaded a.');
    expect(await server.send('a', 's', 'x')).toBe('new');
    const session = (await (await server.get('/apps/a/users/u/sessions/s')).json()) as { events: unknown[] };
    expect(session.events).toHaveLength(4);
  });

  it('serves the last valid version of an invalid file, and prints the error', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1'), 'b/agent.ts': agentText('b', '1') });
    const server = await startServer('web', cwd);
    writeFiles(cwd, { 'a/agent.ts': 'enum A {}', 'b/agent.ts': agentText('b', '2') });
    await server.until('error: a/agent.ts:1: TypeScript enum');
    expect([await server.send('a', 's', 'x'), await server.send('b', 's', 'x')]).toEqual(['1', '2']);
    writeFiles(cwd, { 'a/agent.ts': agentText('a', '3') });
    await server.until('Reloaded a, b.');
    expect(await server.send('a', 's', 'x')).toBe('3');
  });

  it('serves added agents, and no longer serves removed agents', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const server = await startServer('api_server', cwd);
    writeFiles(cwd, { 'b/agent.ts': agentText('b', '1') });
    await server.until('Reloaded a, b.');
    rmSync(join(cwd, 'a'), { recursive: true });
    await server.until('Reloaded b.');
    expect(await (await server.get('/list-apps')).json()).toEqual(['b']);
  });

  it('continues an active run on the agent that it started with', async () => {
    let finish = (): void => {};
    const started = Promise.withResolvers<void>();
    const old = scripted(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(says('From the old one.'));
          started.resolve();
        }),
    );
    const modules = [old, scripted(says('From the new one.'))];
    const cwd = temporaryFolder({ 'a/agent.ts': '' });
    const server = await startServer('web', cwd, [], { modules: { 'a/agent.ts': () => modules.shift() } });
    const first = server.send('a', 'one', 'x');
    await started.promise;
    writeFiles(cwd, { 'a/agent.ts': ' ' });
    await server.until('Reloaded a.');
    expect(await server.send('a', 'two', 'x')).toBe('From the new one.');
    finish();
    expect(await first).toBe('From the old one.');
  });

  it('does not reload with --no-reload', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const server = await startServer('web', cwd, ['--no-reload']);
    writeFiles(cwd, { 'a/agent.ts': agentText('a', '2') });
    expect(await server.send('a', 's', 'x')).toBe('1');
    server.interrupt();
    expect((await server.outcome).output).not.toContain('Reloaded');
  });

  it('reads .env files again', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': '', 'a/.env': 'WORD=old' });
    const env: { [name: string]: string | undefined } = {};
    const module = (): unknown => scripted(says(env['WORD']!));
    const server = await startServer('web', cwd, [], { env, modules: { 'a/agent.ts': module } });
    writeFiles(cwd, { 'a/.env': 'WORD=new' });
    await server.until('Reloaded a.');
    expect(await server.send('a', 's', 'x')).toBe('new');
  });
});

/** Starts a run whose model answers when `finish` is called. `leave` disconnects the client of its stream. */
async function startStream(
  command: string,
): Promise<{ server: Server; cwd: string; leave: () => void; finish: () => void; aborted: Promise<void> }> {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  let finish = (): void => {};
  const module = scripted(
    (_request, { signal }) =>
      new Promise((resolve, reject) => {
        finish = () => resolve(says('Finished.'));
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(signal.reason as Error);
        });
        started.resolve();
      }),
  );
  const cwd = temporaryFolder({ 'a/agent.ts': '' });
  const modules = [module, scripted(says('Another.'))];
  const server = await startServer(command, cwd, [], { modules: { 'a/agent.ts': () => modules.shift() } });
  const headers = { 'content-type': 'application/json' };
  await server.get('/apps/a/users/u/sessions/s', { method: 'POST', headers, body: '{}' });
  const newMessage = { role: 'user', parts: [{ text: 'x' }] };
  const leaving = new AbortController();
  const body = JSON.stringify({ appName: 'a', userId: 'u', sessionId: 's', newMessage });
  const response = await server.get('/run_sse', { method: 'POST', headers, body, signal: leaving.signal });
  expect(response.status).toBe(200);
  await started.promise;
  return { server, cwd, leave: () => leaving.abort(), finish: () => finish(), aborted: aborted.promise };
}

/** Resolves when the session contains the text. */
async function waitForText(server: Server, text: string): Promise<void> {
  while (!(await (await server.get('/apps/a/users/u/sessions/s')).text()).includes(text));
}

describe('Run whose client disconnects', () => {
  it('continues with thole web', async () => {
    const { server, leave, finish } = await startStream('web');
    leave();
    await server.get('/health');
    finish();
    await waitForText(server, 'Finished.');
  });

  it('is aborted with thole api_server', async () => {
    const { leave, aborted } = await startStream('api_server');
    leave();
    await aborted;
  });

  it('continues while its agent is replaced', async () => {
    const { server, cwd, leave, finish } = await startStream('web');
    writeFiles(cwd, { 'a/agent.ts': ' ' });
    await server.until('Reloaded a.');
    leave();
    expect(await server.send('a', 'other', 'x')).toBe('Another.');
    finish();
    await waitForText(server, 'Finished.');
  });
});

describe('thole web at a second interrupt', () => {
  it('aborts active runs', async () => {
    const started = Promise.withResolvers<void>();
    const module = scripted((request, options) => {
      started.resolve();
      return (hangs() as Extract<ScriptedAnswer, (...args: never) => unknown>)(request, options);
    });
    const server = await startServer('web', temporaryFolder({ 'a/agent.ts': '' }), [], {
      modules: { 'a/agent.ts': module },
    });
    void server.send('a', 's', 'x').catch(() => {});
    await started.promise;
    server.interrupt();
    server.interrupt();
    expect((await server.outcome).code).toBe(0);
  });
});
