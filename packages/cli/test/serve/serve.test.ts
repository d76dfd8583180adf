import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { LlmAgent, Runner } from '@thole/runner';
import { InMemorySessionService } from '@thole/mem-services';
import { hangs, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentText } from '../support/agent-text.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { Outcome, TholeOptions } from '../support/thole.ts';

interface Server {
  /** The address that was printed, without the page. */
  url: string;
  outcome: Promise<Outcome>;
  interrupt: () => void;
  /** Resolves when the output or the errors hold this. */
  until(text: string): Promise<void>;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Says something in a session that is there; the answer's text. */
  say(app: string, sessionId: string, text: string): Promise<string>;
}

/** Starts the command on a free port; it is interrupted when the test is over. */
async function serving(
  command: string,
  cwd: string,
  args: readonly string[] = [],
  options: TholeOptions = {},
): Promise<Server> {
  const seen = { output: '', errors: '' };
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  let interrupt = (): void => {};
  const outcome = thole([command, '.', '--port', '0', '--session_service_uri', 'memory://', ...args], {
    cwd,
    ...options,
    onStart: (given) => (interrupt = given),
    onOutput: (output) => {
      seen.output = output;
      look();
    },
    onErrors: (errors) => {
      seen.errors = errors;
      look();
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
    throw new Error(`It ended with ${code}: ${errors}`);
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
    async say(appName, sessionId, text) {
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

describe('thole web', () => {
  it('serves the agents of a folder with the page, and ends with 0 when it is interrupted', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', `'A' + said`), 'b.ts': agentText('b', `'B' + said`) });
    const server = await serving('web', cwd);
    expect(await (await server.get('/list-apps')).json()).toEqual(['a', 'b']);
    expect(await server.say('a', 's', '1')).toBe('A1');
    expect(await server.say('b', 's', '2')).toBe('B2');
    const page = await server.get('/dev-ui/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    server.interrupt();
    const { code, output, errors } = await server.outcome;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^Serving a, b\n {2}http:\/\/127\.0\.0\.1:\d+\/dev-ui\/\n/);
  });

  it('keeps traces', async () => {
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': '' }), [], {
      modules: { 'a/agent.ts': scripted(says('Hi.')) },
    });
    expect(await server.say('a', 's', 'Hello')).toBe('Hi.');
    expect((await (await server.get('/debug/trace/session/s')).json()) as unknown[]).not.toEqual([]);
  });

  it('serves apps, and runners on services of their own, side by side', async () => {
    const agent = new LlmAgent({ name: 'x', model: new ScriptedLlm(says('Own.')) });
    const runner = new Runner({ appName: 'own', agent, sessionService: new InMemorySessionService() });
    const modules = { 'a/agent.ts': { runner }, 'b/agent.ts': scripted(says('Shared.')) };
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': '', 'b/agent.ts': '' }), [], { modules });
    expect([await server.say('own', 's', 'x'), await server.say('b', 's', 'x')]).toEqual(['Own.', 'Shared.']);
  });

  it('lets nobody in without the token of THOLE_TOKEN, and prints an address that gives it to the page', async () => {
    const env = { THOLE_TOKEN: 'let+me/in' };
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [], { env });
    expect((await server.get('/list-apps')).status).toBe(401);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer let+me/in' } })).status).toBe(200);
    server.interrupt();
    expect((await server.outcome).output).toContain('/dev-ui/?token=let%2Bme%2Fin\n');
  });

  it('takes the token as a bearer, and as the cookie of the printed address, from no other site', async () => {
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
      '--token',
      'secret+1',
    ]);
    expect((await server.get('/list-apps', { headers: { authorization: 'Bearer secret+1' } })).status).toBe(200);
    const opened = await server.get('/dev-ui/?token=secret%2B1', { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/dev-ui/']);
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/);
    const asked = { headers: { cookie: cookie.split(';')[0]! } };
    expect((await server.get('/list-apps', asked)).status).toBe(200);
    expect((await server.get('/dev-ui/', asked)).status).toBe(200);
    expect((await server.get('/list-apps', { headers: { cookie: 'thole_token=wrong' } })).status).toBe(401);
    expect((await server.get('/list-apps')).status).toBe(401);
  });

  it('remembers in the database of --memory_service_uri what an earlier command was told', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const args = ['--memory_service_uri', 'sqlite:///./memory.db'];
    const first = await serving('web', cwd, args);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ memories: [{ text: 'Likes figs.' }] });
    expect((await first.get('/apps/a/users/u/memory', { method: 'POST', headers, body })).status).toBe(200);
    first.interrupt();
    expect((await first.outcome).code).toBe(0);
    const later = await serving('api_server', cwd, args);
    const found = await (await later.get('/apps/a/users/u/memory?query=figs')).json();
    expect(found).toMatchObject({ memories: [{ kind: 'note', content: { parts: [{ text: 'Likes figs.' }] } }] });
  });

  it('puts everything below --url_prefix', async () => {
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
      '--url_prefix',
      '/agents/',
    ]);
    expect(server.url).toMatch(/\/agents$/);
    expect(await (await server.get('/list-apps')).json()).toEqual(['a']);
    expect((await server.get('/dev-ui/')).status).toBe(200);
  });
});

describe('thole api_server', () => {
  it('serves the API without the page, under either spelling', async () => {
    for (const command of ['api_server', 'api-server']) {
      const server = await serving(command, temporaryFolder({ 'a/agent.ts': agentText('a', 'said') }));
      expect(await server.say('a', 's', 'x')).toBe('x');
      expect((await server.get('/dev-ui/')).status).toBe(404);
    }
  });

  it('lets the pages of --allow_origins in, one by one or in a list, and no others', async () => {
    const args = ['--allow_origins', 'https://a.example,https://b.example', '--allow-origins', 'https://c.example'];
    const server = await serving('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), args);
    const allowed = async (origin: string): Promise<string | null> =>
      (await server.get('/list-apps', { headers: { origin } })).headers.get('access-control-allow-origin');
    for (const origin of ['https://a.example', 'https://b.example', 'https://c.example'])
      expect(await allowed(origin)).toBe(origin);
    expect(await allowed('https://d.example')).toBeNull();
  });
});

it('listens where --host and --port say', async () => {
  const free = await serving('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }));
  const { port } = new URL(free.url);
  free.interrupt();
  await free.outcome;
  const args = ['--host', 'localhost', '--port', port];
  const server = await serving('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), args);
  expect(new URL(server.url).port).toBe(port);
  expect((await server.get('/health')).status).toBe(200);
});

it('answers requests that name this machine, or one of --allowed_hosts, as their host', async () => {
  const server = await serving('api_server', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }), [
    '--allowed_hosts',
    'agents.example',
  ]);
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${server.url}/health`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end();
    });
  expect([await statusFor('localhost'), await statusFor('agents.example'), await statusFor('evil.example')]).toEqual([
    200, 200, 403,
  ]);
});

describe('what cannot be served', () => {
  const refused = (args: readonly string[], files: { [path: string]: string }): Promise<Outcome> =>
    thole(['web', '.', '--session_service_uri', 'memory://', ...args], { cwd: temporaryFolder(files) });

  it('is an address that others can reach, without a token', async () => {
    const { code, errors } = await refused(['--host', '0.0.0.0', '--port', '0'], { 'agent.ts': agentText('a', '1') });
    expect(code).toBe(2);
    expect(errors).toBe(
      'error: Others can reach 0.0.0.0: give a --token, or set THOLE_TOKEN, that who asks must show.\n',
    );
  });

  it('is a database that does not answer: its host and the reason are named', async () => {
    const uri = 'postgresql://ada:secret@127.0.0.1:1/thole';
    const files = { 'agent.ts': agentText('a', '1') };
    const { code, errors } = await refused(['--session_service_uri', uri], files);
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^error: .* at 127\.0\.0\.1:1 did not answer: .* < caused by: Error: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    );
    expect(errors).not.toContain('secret');
  });

  it('is a token that no header could carry', async () => {
    const { code, errors } = await refused(['--token', 'two words'], { 'agent.ts': agentText('a', '1') });
    expect({ code, errors }).toEqual({
      code: 2,
      errors: 'error: The token must be of ASCII characters, without blanks.\n',
    });
  });

  it('is a port that is taken', async () => {
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': agentText('a', '1') }));
    const { port } = new URL(server.url);
    const { code, errors } = await refused(['--port', port], { 'agent.ts': agentText('a', '1') });
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `error: Port ${port} is taken: choose another with --port, or --port 0 for any.\n`,
    });
  });

  it('is a folder without an agent', async () => {
    const { code, errors } = await refused([], {});
    expect(code).toBe(2);
    expect(errors).toMatch(/^error: There is no agent in \.: it needs an agent\.ts that exports rootAgent/);
  });

  it('is a folder whose only agent is broken', async () => {
    const { code, errors } = await refused([], { 'a/agent.ts': 'enum A {}' });
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: a\/agent\.ts:1: TypeScript enum/);
  });

  it('is two apps of one name', async () => {
    const { code, errors } = await refused([], { 'a/agent.ts': agentText('a', '1'), 'a.ts': agentText('a', '1') });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^error: Two apps are called a: those of \S+a\.ts and \S+agent\.ts\.\n$|Two apps are called a/,
    );
  });

  it('takes no other agent along: one that is broken is told, and the others are served', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1'), 'b/agent.ts': 'throw new Error("No luck")' });
    const server = await serving('web', cwd);
    await server.until('error: b/agent.ts:1: No luck.');
    expect(await (await server.get('/list-apps')).json()).toEqual(['a']);
  });
});

describe('reloading', () => {
  it('serves what the files hold now, in the sessions that there were', async () => {
    const cwd = temporaryFolder({
      'a/agent.ts': agentText('a', 'word', `import { word } from './word.ts';`),
      'a/word.ts': `export const word = 'old';`,
    });
    const server = await serving('web', cwd);
    expect(await server.say('a', 's', 'x')).toBe('old');
    writeFiles(cwd, { 'a/word.ts': `export const word = 'new';` });
    await server.until('Loaded a anew.');
    expect(await server.say('a', 's', 'x')).toBe('new');
    const session = (await (await server.get('/apps/a/users/u/sessions/s')).json()) as { events: unknown[] };
    expect(session.events).toHaveLength(4);
  });

  it('keeps what last worked when a file breaks, tells why, and goes on when it is mended', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1'), 'b/agent.ts': agentText('b', '1') });
    const server = await serving('web', cwd);
    writeFiles(cwd, { 'a/agent.ts': 'enum A {}', 'b/agent.ts': agentText('b', '2') });
    await server.until('error: a/agent.ts:1: TypeScript enum');
    expect([await server.say('a', 's', 'x'), await server.say('b', 's', 'x')]).toEqual(['1', '2']);
    writeFiles(cwd, { 'a/agent.ts': agentText('a', '3') });
    await server.until('Loaded a, b anew.');
    expect(await server.say('a', 's', 'x')).toBe('3');
  });

  it('serves agents that were added and no longer those that are gone', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const server = await serving('api_server', cwd);
    writeFiles(cwd, { 'b/agent.ts': agentText('b', '1') });
    await server.until('Loaded a, b anew.');
    rmSync(join(cwd, 'a'), { recursive: true });
    await server.until('Loaded b anew.');
    expect(await (await server.get('/list-apps')).json()).toEqual(['b']);
  });

  it('lets a run end on the agent that it began with', async () => {
    let finish = (): void => {};
    const begun = Promise.withResolvers<void>();
    const old = scripted(
      () =>
        new Promise((resolve) => {
          finish = () => resolve(says('From the old one.'));
          begun.resolve();
        }),
    );
    const modules = [old, scripted(says('From the new one.'))];
    const cwd = temporaryFolder({ 'a/agent.ts': '' });
    const server = await serving('web', cwd, [], { modules: { 'a/agent.ts': () => modules.shift() } });
    const first = server.say('a', 'one', 'x');
    await begun.promise;
    writeFiles(cwd, { 'a/agent.ts': ' ' });
    await server.until('Loaded a anew.');
    expect(await server.say('a', 'two', 'x')).toBe('From the new one.');
    finish();
    expect(await first).toBe('From the old one.');
  });

  it('does not with --no-reload', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const server = await serving('web', cwd, ['--no-reload']);
    writeFiles(cwd, { 'a/agent.ts': agentText('a', '2') });
    expect(await server.say('a', 's', 'x')).toBe('1');
    server.interrupt();
    expect((await server.outcome).output).not.toContain('anew');
  });

  it('reads the .env again', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': '', 'a/.env': 'WORD=old' });
    const env: { [name: string]: string | undefined } = {};
    const module = (): unknown => scripted(says(env['WORD']!));
    const server = await serving('web', cwd, [], { env, modules: { 'a/agent.ts': module } });
    writeFiles(cwd, { 'a/.env': 'WORD=new' });
    await server.until('Loaded a anew.');
    expect(await server.say('a', 's', 'x')).toBe('new');
  });
});

/** An agent whose model answers when it is told to, and a stream of its run whose client is about to leave. */
async function streaming(
  command: string,
): Promise<{ server: Server; cwd: string; leave: () => void; finish: () => void; aborted: Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  let finish = (): void => {};
  const module = scripted(
    (_request, { signal }) =>
      new Promise((resolve, reject) => {
        finish = () => resolve(says('Told.'));
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(signal.reason as Error);
        });
        begun.resolve();
      }),
  );
  const cwd = temporaryFolder({ 'a/agent.ts': '' });
  const modules = [module, scripted(says('Another.'))];
  const server = await serving(command, cwd, [], { modules: { 'a/agent.ts': () => modules.shift() } });
  const headers = { 'content-type': 'application/json' };
  await server.get('/apps/a/users/u/sessions/s', { method: 'POST', headers, body: '{}' });
  const newMessage = { role: 'user', parts: [{ text: 'x' }] };
  const leaving = new AbortController();
  const body = JSON.stringify({ appName: 'a', userId: 'u', sessionId: 's', newMessage });
  const response = await server.get('/run_sse', { method: 'POST', headers, body, signal: leaving.signal });
  expect(response.status).toBe(200);
  await begun.promise;
  return { server, cwd, leave: () => leaving.abort(), finish: () => finish(), aborted: aborted.promise };
}

/** Resolves when the session holds this. */
async function stored(server: Server, text: string): Promise<void> {
  while (!(await (await server.get('/apps/a/users/u/sessions/s')).text()).includes(text));
}

describe('a run whose client leaves', () => {
  it('goes on with thole web', async () => {
    const { server, leave, finish } = await streaming('web');
    leave();
    await server.get('/health');
    finish();
    await stored(server, 'Told.');
  });

  it('is aborted with thole api_server', async () => {
    const { leave, aborted } = await streaming('api_server');
    leave();
    await aborted;
  });

  it('goes on while its agent is replaced', async () => {
    const { server, cwd, leave, finish } = await streaming('web');
    writeFiles(cwd, { 'a/agent.ts': ' ' });
    await server.until('Loaded a anew.');
    leave();
    expect(await server.say('a', 'other', 'x')).toBe('Another.');
    finish();
    await stored(server, 'Told.');
  });
});

describe('ending', () => {
  it('a second interrupt aborts what runs', async () => {
    const begun = Promise.withResolvers<void>();
    const module = scripted((request, options) => {
      begun.resolve();
      return (hangs() as Extract<ScriptedAnswer, (...args: never) => unknown>)(request, options);
    });
    const server = await serving('web', temporaryFolder({ 'a/agent.ts': '' }), [], {
      modules: { 'a/agent.ts': module },
    });
    void server.say('a', 's', 'x').catch(() => {});
    await begun.promise;
    server.interrupt();
    server.interrupt();
    expect((await server.outcome).code).toBe(0);
  });
});
