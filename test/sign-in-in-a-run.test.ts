import { getFunctionResponses, pendingInterrupts, textOf } from '@thole/core';
import type { AuthConfig, Event, Interrupt, JsonObject, Plugin } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { AgentTool, LlmAgent, Runner } from '@thole/runner';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthFixture, user } from '../packages/auth/test/server/auth-fixture.ts';
import { OidcServer, REDIRECT_URI, SECRET } from '../packages/auth/test/server/oidc-server.ts';
import { recordRun } from '../packages/replay/src/index.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await OidcServer.start();
});
afterAll(() => server.close());

/** A tool that needs a sign-in and records the token that it gets. */
function mailTool(fixture: AuthFixture, tokens: unknown[]): FunctionTool {
  return new FunctionTool({
    name: 'mail',
    description: 'Reads mail.',
    execute: async (_args, context) => {
      tokens.push((await context.requestCredential(fixture.openId())).oauth2?.accessToken);
      return { mails: 3 };
    },
  });
}

describe('context.requestCredential', () => {
  it('throws CREDENTIAL_NOT_CONFIGURED in a runner without an authenticator', async () => {
    const failures: unknown[] = [];
    const authConfig: AuthConfig = { authScheme: { type: 'apiKey', in: 'header', name: 'key' } };
    const read = new FunctionTool({
      name: 'read',
      description: 'Reads.',
      execute: (_, context) =>
        context.requestCredential(authConfig).catch((error: unknown) => void failures.push(error)),
    });
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('read'), says('Done.')), tools: [read] });
    await using runner = new Runner({
      ...{ appName: 'app', agent, sessionService: new InMemorySessionService(), autoCreateSession: true },
    });
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'Read.' });
    expect(failures).toMatchObject([{ code: 'CREDENTIAL_NOT_CONFIGURED' }]);
  });

  it('pauses for a sign-in and gives the tool a token, with no secret in the session (contracts 28, 44)', async () => {
    const fixture = new AuthFixture(server.url);
    const sessionService = new InMemorySessionService();
    const tokens: unknown[] = [];
    const mail = mailTool(fixture, tokens);
    const model = new ScriptedLlm(
      calls('mail', {}, 'c1'),
      says('Three mails.'),
      calls('mail', {}, 'c2'),
      says('Still three.'),
    );
    const agent = new LlmAgent({ name: 'root', model, tools: [mail] });
    const runner = new Runner({
      appName: user.appName,
      agent,
      sessionService,
      authenticator: fixture.authenticator,
      autoCreateSession: true,
    });
    const at = { userId: user.userId, sessionId: 's' };
    const first = await runner.runToCompletion({ ...at, newMessage: 'Mail?' });
    expect(first).toMatchObject({ status: 'paused', interrupts: [{ kind: 'credential', toolName: 'mail' }] });
    const [interrupt] = first.interrupts;
    const authConfig = interrupt!.payload as unknown as AuthConfig;
    const authResponseUri = await fixture.openAuthUri(authConfig);
    const response = {
      ...authConfig,
      exchangedAuthCredential: { authType: 'openIdConnect', oauth2: { authResponseUri, redirectUri: REDIRECT_URI } },
    };
    // A client may send more than it should.
    const functionResponse = { id: interrupt!.id, name: 'adk_request_credential', response, copy: authResponseUri };
    const run = runner.runAsync({ ...at, newMessage: { parts: [{ functionResponse }] } as never });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(tokens).toEqual([expect.any(String)]);
    expect(await fixture.service.loadPendingAuth({ ...user, interruptId: interrupt!.id })).toBeUndefined();
    const next = await runner.runToCompletion({ ...at, newMessage: 'And now?' });
    expect(next).toMatchObject({ status: 'completed', text: 'Still three.' });
    const stored = JSON.stringify(await sessionService.getSession({ ...at, appName: user.appName }));
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain(String(tokens[0]));
    expect(stored).not.toContain(authResponseUri);
    expect(stored).toContain('"status":"received"');
  });

  it.each([
    ['refuses', 'SIGN_IN_DENIED'],
    ['does not answer in time', 'INTERRUPT_EXPIRED'],
  ])('throws in the tool if the user %s (contract 28)', async (what, code) => {
    const fixture = new AuthFixture(server.url);
    const { authenticator, runtime } = fixture;
    const sessionService = new InMemorySessionService({ runtime });
    const mail = new FunctionTool({
      name: 'mail',
      description: 'Reads mail.',
      execute: (_args, context) =>
        context.requestCredential(fixture.openId()).catch((error: { code?: string }) => {
          if (error.code === undefined) throw error;
          return { code: error.code };
        }),
    });
    const model = new ScriptedLlm(calls('mail', {}, 'c1'), says('No mail.'));
    const rootAgent = new LlmAgent({ name: 'root', model, tools: [mail] });
    const app = { name: user.appName, rootAgent, interruptTtlMs: 60_000 };
    const runner = new Runner({ app, sessionService, authenticator, runtime, autoCreateSession: true });
    const at = { userId: user.userId, sessionId: 's' };
    const { interrupts } = await runner.runToCompletion({ ...at, newMessage: 'Mail?' });
    if (what === 'refuses') await runner.resume({ ...at, answers: { [interrupts[0]!.id]: { error: 'no' } } }).done;
    else {
      await runner.close();
      await runtime.advance(61_000);
      const next = new Runner({ app, sessionService, authenticator, runtime });
      expect(await Array.fromAsync(next.recover())).toMatchObject([{ outcome: 'completed' }]);
    }
    const { events } = (await sessionService.getSession({ ...at, appName: user.appName }))!;
    expect(events.flatMap((event) => getFunctionResponses(event)).at(-1)).toMatchObject({ response: { code } });
    expect(textOf(events.at(-1)!.content)).toBe('No mail.');
  });

  it('throws SIGN_IN_DENIED if the user refuses the second sign-in of a call (contract 28)', async () => {
    const { authenticator } = new AuthFixture(server.url);
    const keyConfig = (name: string): AuthConfig => ({ authScheme: { type: 'apiKey', in: 'header', name } });
    const copy = new FunctionTool({
      name: 'copy',
      description: 'Copies mails.',
      execute: async (_args, context) => {
        await context.requestCredential(keyConfig('source'));
        await context.requestCredential(keyConfig('target'));
      },
    });
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('copy'), says('No.')), tools: [copy] });
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: user.appName, agent, sessionService, authenticator, autoCreateSession: true });
    const at = { userId: user.userId, sessionId: 's' };
    const first = await runner.runToCompletion({ ...at, newMessage: 'Copy.' });
    const exchangedAuthCredential = { authType: 'apiKey', apiKey: 'k' };
    const answer = { ...keyConfig('source'), exchangedAuthCredential } as unknown as JsonObject;
    const second = await runner.resume({ ...at, answers: { [first.interrupts[0]!.id]: answer } }).result;
    const last = await runner.resume({ ...at, answers: { [second.interrupts[0]!.id]: { error: 'no' } } }).result;
    expect(last).toMatchObject({ status: 'completed', interrupts: [] });
    const { events } = (await sessionService.getSession({ ...at, appName: user.appName }))!;
    expect(getFunctionResponses(events.at(-2)!)).toMatchObject([
      { response: { error: 'The sign-in was refused: no.' } },
    ]);
  });

  it('requests one sign-in for two calls that need the same credential (contract 28)', async () => {
    const fixture = new AuthFixture(server.url);
    const sessionService = new InMemorySessionService();
    const { authenticator } = fixture;
    const begun: string[] = [];
    const beginSignIn = authenticator.beginSignIn.bind(authenticator);
    authenticator.beginSignIn = (p) => (begun.push(p.interruptId), beginSignIn(p));
    let runs = 0;
    const mail = new FunctionTool({
      name: 'mail',
      description: 'Reads mail.',
      execute: async (_args, context) => {
        await context.requestCredential(fixture.openId());
        return { runs: ++runs };
      },
    });
    const model = new ScriptedLlm(callsAll(['mail', {}, 'c1'], ['mail', {}, 'c2']), says('Done.'));
    const runner = new Runner({
      appName: user.appName,
      agent: new LlmAgent({ name: 'root', model, tools: [mail] }),
      sessionService,
      authenticator,
      autoCreateSession: true,
    });
    const at = { userId: user.userId, sessionId: 's' };
    const { interrupts } = await runner.runToCompletion({ ...at, newMessage: 'Mail?' });
    expect(interrupts).toHaveLength(1);
    const pending = begun.map((interruptId) => fixture.service.loadPendingAuth({ ...user, interruptId }));
    expect((await Promise.all(pending)).map((each) => each !== undefined)).toEqual([true, false]);
    expect(begun[0]).toBe(interrupts[0]!.id);
    const authConfig = interrupts[0]!.payload as unknown as AuthConfig;
    const authResponseUri = await fixture.openAuthUri(authConfig);
    const oauth2 = { authResponseUri, redirectUri: REDIRECT_URI };
    const response = { ...authConfig, exchangedAuthCredential: { authType: 'openIdConnect', oauth2 } };
    const run = runner.resume({ ...at, answers: { [interrupts[0]!.id]: response as never } });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(runs).toBe(2);
  });

  it('pauses agents that run as tools, one sign-in for each of them (contracts 25, 28)', async () => {
    const fixture = new AuthFixture(server.url);
    const sessionService = new InMemorySessionService();
    const tokens: unknown[] = [];
    const mail = mailTool(fixture, tokens);
    const clerk = (name: string): AgentTool => {
      const model = new ScriptedLlm(calls('mail', {}, `${name}-1`), says('Three.'));
      return new AgentTool({ agent: new LlmAgent({ name, description: 'Reads mail.', model, tools: [mail] }) });
    };
    const request = { request: 'Mail?' };
    const model = new ScriptedLlm(callsAll(['first', request], ['second', request]), says('Done.'));
    const runner = new Runner({
      appName: user.appName,
      agent: new LlmAgent({ name: 'root', model, tools: [clerk('first'), clerk('second')] }),
      sessionService,
      authenticator: fixture.authenticator,
      autoCreateSession: true,
    });
    const at = { userId: user.userId, sessionId: 's' };
    const { interrupts } = await runner.runToCompletion({ ...at, newMessage: 'Mail?' });
    expect(interrupts).toMatchObject([
      { kind: 'credential', toolName: 'first' },
      { kind: 'credential', toolName: 'second' },
    ]);
    for (const { id, payload } of interrupts) {
      const authConfig = payload as unknown as AuthConfig;
      const authResponseUri = await fixture.openAuthUri(authConfig);
      const oauth2 = { authResponseUri, redirectUri: REDIRECT_URI };
      const response = { ...authConfig, exchangedAuthCredential: { authType: 'openIdConnect', oauth2 } };
      await runner.resume({ ...at, answers: { [id]: response as never } }).done;
    }
    expect(await runner.pendingInterrupts(at)).toEqual([]);
    expect(tokens).toEqual([expect.any(String), expect.any(String)]);
    const stored = JSON.stringify(await sessionService.getSession({ ...at, appName: user.appName }));
    expect(stored).toContain('Done.');
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain(String(tokens[0]));
  });
});

describe('recordRun', () => {
  it.each(['answers', 'newMessage'])('writes no code and no key that a user entered, sent as %s', async (member) => {
    const fixture = new AuthFixture(server.url);
    const keyConfig = { authScheme: { type: 'apiKey', in: 'header', name: 'x-key' } } as const;
    const mail = new FunctionTool({
      name: 'mail',
      description: 'Reads mail.',
      execute: async (_args, context) => {
        await context.requestCredential(fixture.openId());
        await context.requestCredential(keyConfig);
        return { mails: 3 };
      },
    });
    const model = new ScriptedLlm(calls('mail', {}, 'c1'), says('Three mails.'));
    const options = {
      appName: user.appName,
      agent: new LlmAgent({ name: 'root', model, tools: [mail] }),
      sessionService: new InMemorySessionService(),
      authenticator: fixture.authenticator,
      autoCreateSession: true,
    };
    const at = { userId: user.userId, sessionId: 's' };
    let authResponseUri = '';
    const answering = (exchangedAuthCredential: () => object) => (events: readonly Event[]) => {
      const [{ id, payload }] = pendingInterrupts(events) as [Interrupt];
      const response = { ...(payload as object), exchangedAuthCredential: exchangedAuthCredential() } as JsonObject;
      if (member === 'answers') return { ...at, answers: { [id]: response } };
      const functionResponse = { id, name: 'adk_request_credential', response };
      return { ...at, newMessage: { role: 'user' as const, parts: [{ functionResponse }] } };
    };
    const opener: Plugin = {
      name: 'opener',
      onEventCallback: async ({ event }) => {
        const authConfig = pendingInterrupts([event])[0]?.payload as AuthConfig | undefined;
        if (authConfig?.authScheme.type === 'openIdConnect') authResponseUri = await fixture.openAuthUri(authConfig);
        return undefined;
      },
    };
    const runs = [
      { ...at, newMessage: 'Mail?' },
      answering(() => ({ authType: 'openIdConnect', oauth2: { authResponseUri, redirectUri: REDIRECT_URI } })),
      answering(() => ({ authType: 'apiKey', apiKey: 'key-of-ann' })),
    ];
    const recording = JSON.stringify(await recordRun({ ...options, plugins: [opener] }, runs));
    expect(recording).toContain('Three mails.');
    expect(authResponseUri).toContain('code=');
    expect(recording).not.toContain(new URL(authResponseUri).searchParams.get('code'));
    expect(recording).not.toContain('key-of-ann');
  });
});
