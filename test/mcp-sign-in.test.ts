import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { getFunctionResponses } from '@thole/core';
import type { Authenticator, Interrupt, Json } from '@thole/core';
import { McpToolset } from '@thole/mcp';
import type { McpAuthOptions } from '@thole/mcp';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, ParallelAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AuthFixture } from '../packages/auth/test/server/auth-fixture.ts';
import { signInAs } from '../packages/auth/test/server/browser.ts';
import { OidcServer, REDIRECT_URI } from '../packages/auth/test/server/oidc-server.ts';
import { AgentRun } from '../packages/mcp/test/toolset/servers/agent-run.ts';
import { HttpServer } from '../packages/mcp/test/toolset/servers/http-server.ts';

let mcp: HttpServer;
let oidc: OidcServer;
let resourceMetadata: object;
let registrations: unknown[];
let refusesAllTokens: boolean;
/** The first registration at `/slow` waits for this promise. */
let holdRegistration: Promise<void>;
/** The description of the MCP server waits for this promise. */
let holdMetadata: Promise<void> | undefined;

beforeAll(async () => {
  mcp = await HttpServer.start(serveWithSignIn);
  oidc = await OidcServer.start([], `${mcp.url}/mcp`);
});
afterAll(async () => {
  await mcp.close();
  await oidc.close();
});
beforeEach(() => {
  mcp.requests.length = 0;
  oidc.clear();
  registrations = [];
  refusesAllTokens = false;
  holdMetadata = undefined;
  resourceMetadata = {
    resource: `${mcp.url}/mcp`,
    authorization_servers: [oidc.url],
    scopes_supported: ['mail', 'offline_access'],
  };
});

const handler = createMcpHandler(({ authInfo }) => {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  server.registerTool('whoami', {}, async () => ({ content: [{ type: 'text', text: authInfo!.clientId }] }));
  return server;
});

/** Metadata of an authorization server that accepts a client's secret only in the body of a request. */
function postMetadata(): object {
  const issuer = `${mcp.url}/post`;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
}

/** Serves a tool that returns the user's name. Requests need a token of the authorization server for this address. */
async function serveWithSignIn(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/.well-known/oauth-authorization-server/post') return Response.json(postMetadata());
  if (pathname === '/post/register') {
    registrations.push(await request.json());
    return Response.json(
      { client_id: 'posted', client_secret: 'secret', redirect_uris: [REDIRECT_URI] },
      { status: 201 },
    );
  }
  if (pathname === '/.well-known/oauth-authorization-server/slow')
    return Response.json({
      ...postMetadata(),
      issuer: `${mcp.url}/slow`,
      registration_endpoint: `${mcp.url}/slow/reg`,
    });
  if (pathname === '/slow/reg') {
    const clientId = `client-${registrations.push(await request.json())}`;
    if (clientId === 'client-1') await holdRegistration;
    return Response.json({ client_id: clientId, redirect_uris: [REDIRECT_URI] }, { status: 201 });
  }
  if (pathname === '/.well-known/oauth-protected-resource/mcp') {
    await holdMetadata;
    return Response.json(resourceMetadata);
  }
  if (pathname !== '/mcp') return new Response(null, { status: 404 });
  const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
  const found = token === '' || refusesAllTokens ? undefined : await oidc.findToken(token);
  if (found?.resource === `${mcp.url}/mcp`)
    return handler.fetch(request, { authInfo: { token, clientId: found.user, scopes: [] } });
  const metadata = `${mcp.url}/.well-known/oauth-protected-resource/mcp`;
  return new Response(null, { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } });
}

function toolset(
  authenticator: Authenticator,
  auth: Partial<McpAuthOptions> = { redirectUri: REDIRECT_URI },
): McpToolset {
  const params = mcp.params({ privateHosts: ['127.0.0.1', 'localhost'], timeout: 30_000 });
  return new McpToolset(params, undefined, { auth: { authenticator, ...auth } });
}

/** Signs the user in with a browser. Returns the answer to the interrupt. */
async function signIn(interrupt: Interrupt): Promise<Json> {
  const { exchangedAuthCredential } = interrupt.payload as {
    exchangedAuthCredential: { oauth2: { authUri: string } };
  };
  const address = new URL(exchangedAuthCredential.oauth2.authUri);
  address.searchParams.set('redirect_uri', REDIRECT_URI);
  const authResponseUri = await signInAs('ada', address.href, REDIRECT_URI);
  return { authResponseUri, redirectUri: REDIRECT_URI };
}

function clientIdOf({ payload }: Interrupt): string | null {
  const { exchangedAuthCredential } = payload as { exchangedAuthCredential: { oauth2: { authUri: string } } };
  return new URL(exchangedAuthCredential.oauth2.authUri).searchParams.get('client_id');
}

/** Returns the access token of the last request to the MCP server. */
const lastToken = (): string => mcp.requests.at(-1)!.headers.get('authorization')!.replace('Bearer ', '');

const signInTool = (): string => `sign_in_to_${new URL(mcp.url).host.replaceAll(/[.:]/g, '_')}`;

describe('McpToolset auth', () => {
  it.each([
    ['a client that registers itself', { redirectUri: REDIRECT_URI }],
    ['a client that the developer registered', { clientId: 'public' }],
  ])('pauses for a sign-in and then offers the tools, with %s (contracts 28, 44)', async (_, auth) => {
    const { authenticator } = new AuthFixture(oidc.url);
    const sessionService = new InMemorySessionService();
    const run = new AgentRun(
      toolset(authenticator, auth),
      [calls(signInTool()), calls('whoami'), says('You are Ada.')],
      { authenticator, sessionService },
    );
    const [interrupt] = await run.say();
    expect(run.toolNames()).toEqual([signInTool()]);
    expect(interrupt).toMatchObject({ kind: 'credential', toolName: signInTool() });
    expect(await run.answer(interrupt!, await signIn(interrupt!))).toEqual([]);
    expect(run.toolNames(1)).toEqual(['whoami']);
    expect(run.responses.slice(-2)).toEqual([
      { status: 'signed in', next: expect.stringContaining('can be used now') },
      { result: 'ada' },
    ]);
    const resources = oidc.tokenRequests.map(({ body }) => body.get('resource'));
    expect(resources).toEqual([`${mcp.url}/mcp`]);
    expect(oidc.paths.filter((path) => path === '/reg')).toHaveLength('clientId' in auth ? 0 : 1);
    const token = mcp.requests.at(-1)!.headers.get('authorization')!.replace('Bearer ', '');
    expect(await oidc.findToken(token)).toMatchObject({ user: 'ada', scope: expect.stringContaining('mail') });
    const stored = await sessionService.getSession({ appName: 'shop', userId: 'ada', sessionId: 's' });
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('reuses the token in another process, and requests a sign-in if the server refuses it', async () => {
    const fixture = new AuthFixture(oidc.url);
    const { authenticator } = fixture;
    const first = new AgentRun(toolset(authenticator), [calls(signInTool()), says('Signed in.')], { authenticator });
    const [interrupt] = await first.say();
    await first.answer(interrupt!, await signIn(interrupt!));

    const another = fixture.another();
    const second = new AgentRun(
      toolset(another),
      [calls('whoami', {}, 'c1'), says('Ada.'), calls('whoami', {}, 'c2'), says('Ada.')],
      {
        authenticator: another,
      },
    );
    expect(await second.say()).toEqual([]);
    expect(second.responses).toEqual([{ result: 'ada' }]);
    expect(oidc.paths.filter((path) => path === '/reg')).toHaveLength(1);

    await oidc.revokeWithRefreshToken(lastToken());
    const [again] = await fixture.passTime(second.say());
    expect(again).toMatchObject({ kind: 'credential', toolName: 'whoami' });
    expect(await second.answer(again!, await signIn(again!))).toEqual([]);
    expect(second.responses.at(-1)).toEqual({ result: 'ada' });
  });

  it('refreshes a token that the server refuses before it expires', async () => {
    const fixture = new AuthFixture(oidc.url);
    const { authenticator } = fixture;
    const run = new AgentRun(
      toolset(authenticator),
      [calls(signInTool()), calls('whoami'), says('Ada.'), calls('whoami', {}, 'c2'), says('Ada.')],
      { authenticator },
    );
    const [interrupt] = await run.say();
    await run.answer(interrupt!, await signIn(interrupt!));
    const token = lastToken();
    await oidc.revoke(token);
    expect(await run.say()).toEqual([]);
    expect(run.responses.at(-1)).toEqual({ result: 'ada' });
    expect(oidc.grants).toEqual(['authorization_code', 'refresh_token']);
    expect(lastToken()).not.toBe(token);
  });

  it('sends no refresh token to another authorization server that the MCP server names later', async () => {
    const fixture = new AuthFixture(oidc.url);
    const { authenticator } = fixture;
    const auth = { clientId: 'public' };
    const first = new AgentRun(toolset(authenticator, auth), [calls(signInTool()), says('Ada.')], { authenticator });
    const [interrupt] = await first.say();
    await first.answer(interrupt!, await signIn(interrupt!));

    resourceMetadata = { ...resourceMetadata, authorization_servers: [`${mcp.url}/post`] };
    refusesAllTokens = true;
    const another = fixture.another();
    const script = [calls(signInTool())];
    const second = new AgentRun(toolset(another, auth), script, { authenticator: another });
    expect(await second.say()).toMatchObject([{ kind: 'credential' }]);
    expect(mcp.requests.filter(({ path }) => path === '/post/token')).toEqual([]);
  });

  it('reads the description of a server again after an hour, also if the clock was set back', async () => {
    const { authenticator, runtime } = new AuthFixture(oidc.url);
    const auth = { authenticator, clientId: 'public' };
    const tools = new McpToolset(mcp.params({ privateHosts: ['127.0.0.1', 'localhost'] }), undefined, {
      auth,
      runtime,
    });
    const say = (userId: string): Promise<unknown> =>
      new AgentRun(tools, [calls(signInTool())], { authenticator, userId }).say();
    const descriptions = (): number => mcp.requests.filter(({ path }) => path.startsWith('/.well-known/')).length;
    await say('ada');
    await say('bob');
    expect(descriptions()).toBe(1);
    runtime.now = () => 1_600_000_000;
    await runtime.advance(3_600_000);
    await say('eve');
    expect(descriptions()).toBe(2);
  });

  it('refreshes a refused token once, then requests a sign-in', async () => {
    const fixture = new AuthFixture(oidc.url);
    const { authenticator } = fixture;
    const script = [calls(signInTool()), says('Signed in.'), calls('whoami')];
    const run = new AgentRun(toolset(authenticator), script, { authenticator });
    const [interrupt] = await run.say();
    await run.answer(interrupt!, await signIn(interrupt!));
    refusesAllTokens = true;
    expect(await run.say()).toMatchObject([{ kind: 'credential', toolName: 'whoami' }]);
    expect(oidc.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('registers another client and requests a sign-in if the server has forgotten the client', async () => {
    const fixture = new AuthFixture(oidc.url);
    const { authenticator } = fixture;
    const run = new AgentRun(
      toolset(authenticator),
      [calls(signInTool()), says('Signed in.'), calls(signInTool(), {}, 'again'), calls('whoami'), says('Ada.')],
      { authenticator },
    );
    const [interrupt] = await run.say();
    await run.answer(interrupt!, await signIn(interrupt!));

    await oidc.forgetClient(oidc.tokenRequests.at(-1)!.body.get('client_id')!);
    await fixture.runtime.advance(3_600_000);
    const [again] = await run.say();
    expect(again).toMatchObject({ kind: 'credential', toolName: signInTool() });
    expect(await run.answer(again!, await signIn(again!))).toEqual([]);
    expect(run.responses.at(-1)).toEqual({ result: 'ada' });
    expect(oidc.paths.filter((path) => path === '/reg')).toHaveLength(2);
  });

  it('registers the method of client authentication that the server supports, and no empty scope', async () => {
    const { authenticator } = new AuthFixture(oidc.url);
    resourceMetadata = { resource: `${mcp.url}/mcp`, authorization_servers: [`${mcp.url}/post`] };
    const run = new AgentRun(toolset(authenticator), [calls(signInTool())], { authenticator });
    expect(await run.say()).toMatchObject([{ kind: 'credential' }]);
    expect(registrations).toMatchObject([{ token_endpoint_auth_method: 'client_secret_post' }]);
    expect(registrations[0]).not.toHaveProperty('scope');
  });

  it('keeps the sign-ins of parallel agents valid, with one registered client', async () => {
    const { authenticator } = new AuthFixture(oidc.url);
    const tools = [toolset(authenticator)];
    const agents = ['a', 'b', 'c'].map((name) => {
      const model = new ScriptedLlm(calls(signInTool(), {}, name), calls('whoami', {}, `who-${name}`), says('Done.'));
      return new LlmAgent({ name, model, tools });
    });
    const runner = new Runner({
      appName: 'shop',
      agent: new ParallelAgent({ name: 'root', subAgents: agents }),
      sessionService: new InMemorySessionService(),
      autoCreateSession: true,
      authenticator,
    });
    onTestFinished(() => runner.close());
    const session = { userId: 'ada', sessionId: 's' };
    let { interrupts } = await runner.runAsync({ ...session, newMessage: 'Hello.' }).result;
    const texts: string[] = [];
    for (const remaining of [2, 1, 0]) {
      const newest = interrupts.at(-1)!;
      const answers = { [newest.id]: await signIn(newest) };
      const run = runner.resume({ ...session, answers });
      for await (const event of run)
        texts.push(...getFunctionResponses(event).map((each) => JSON.stringify(each.response)));
      ({ interrupts } = await run.result);
      expect(interrupts).toHaveLength(remaining);
    }
    expect(texts.filter((text) => text === '{"result":"ada"}')).toHaveLength(3);
    expect(oidc.paths.filter((path) => path === '/reg')).toHaveLength(1);
  });

  it.each(['description', 'registration'])('ends a %s that does not answer, and asks again later', async (held) => {
    const { authenticator, runtime } = new AuthFixture(oidc.url);
    resourceMetadata = { ...resourceMetadata, authorization_servers: [`${mcp.url}/slow`] };
    const never = new Promise<void>(() => {});
    holdRegistration = never;
    holdMetadata = held === 'description' ? never : undefined;
    const params = mcp.params({ privateHosts: ['127.0.0.1', 'localhost'], timeout: 30_000 });
    const tools = new McpToolset(params, undefined, { auth: { authenticator, redirectUri: REDIRECT_URI }, runtime });
    const run = new AgentRun(tools, [calls(signInTool())], { authenticator });
    const cause = expect.objectContaining({ message: expect.stringContaining('did not answer in 30000 ms') });
    const failed = expect(run.say()).rejects.toEqual(expect.objectContaining({ cause }));
    const isHeld = (): boolean =>
      held === 'description'
        ? mcp.requests.some(({ path }) => path.startsWith('/.well-known/oauth-protected-resource'))
        : registrations.length > 0;
    await expect.poll(isHeld).toBe(true);
    await runtime.advance(30_000);
    await failed;
    holdMetadata = undefined;
    holdRegistration = Promise.resolve();
    expect(await run.say()).toMatchObject([{ kind: 'credential' }]);
  });

  it('uses the client of a process that registered one at the same time', async () => {
    const fixture = new AuthFixture(oidc.url);
    const [first, second] = [fixture.authenticator, fixture.another()];
    const one = new AgentRun(toolset(first), [calls(signInTool()), calls('whoami'), says('Ada.')], {
      authenticator: first,
    });
    const two = new AgentRun(toolset(second), [calls(signInTool())], { authenticator: second });
    const gate = Promise.withResolvers<void>();
    holdRegistration = gate.promise;
    resourceMetadata = { ...resourceMetadata, authorization_servers: [`${mcp.url}/slow`] };
    const slow = two.say();
    while (registrations.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const [interrupt] = await one.say();
    gate.resolve();
    const [other] = await slow;
    expect(clientIdOf(other!)).toBe(clientIdOf(interrupt!));
  });

  it('returns an error to the model if the user refuses the sign-in', async () => {
    const { authenticator } = new AuthFixture(oidc.url);
    const run = new AgentRun(toolset(authenticator), [calls(signInTool()), says('Too bad.')], { authenticator });
    const [interrupt] = await run.say();
    await run.answer(interrupt!, { error: 'access_denied' });
    expect(run.responses.at(-1)).toEqual({ error: expect.stringContaining('access_denied') });
  });

  it.each([
    ['describes itself as another server', (): object => ({ resource: 'https://bank.example/mcp' })],
    [
      'authorization server does not describe its endpoints',
      (): object => ({ authorization_servers: [`${mcp.url}/none`] }),
    ],
    ['has a private address', (): object => ({ authorization_servers: ['https://10.0.0.1'] })],
  ])('begins no sign-in with the error "%s"', async (message, change) => {
    const { authenticator } = new AuthFixture(oidc.url);
    resourceMetadata = { ...resourceMetadata, ...change() };
    const run = new AgentRun(toolset(authenticator), [], { authenticator });
    const cause = expect.objectContaining({ message: expect.stringContaining(message) });
    await expect(run.say()).rejects.toEqual(expect.objectContaining({ cause }));
    expect(oidc.paths.filter((path) => !path.startsWith('/.well-known/'))).toEqual([]);
  });

  it('names the missing option auth in the error', async () => {
    const run = new AgentRun(new McpToolset(mcp.params()), []);
    const cause = expect.objectContaining({ message: expect.stringContaining('requires a sign-in. Set auth') });
    await expect(run.say()).rejects.toEqual(expect.objectContaining({ cause }));
  });
});
