import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { signRequest } from '@thole/channels/http';
import { textOf } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../test/servers/free-port.ts';
import { runCompanion } from '../src/run-companion.ts';
import { folderForTest } from './folder-for-test.ts';
import { CompanionProcess } from './support/companion-process.ts';

describe('npm run companion', () => {
  it('answers in the terminal without a key, remembers across restarts, and needs < 150 MB', async () => {
    const data = join(folderForTest(), 'data');
    const first = new CompanionProcess({ data });
    await first.until('The model is DemoLlm');
    await first.say('Who is my sister?', 'I do not know that.');
    await first.say('My sister is Edda.', 'Noted.');
    await first.say('add a task: water the herbs', 'It is on your board');
    await first.say('remind me in 2 hours to sleep', 'I will remind you at');
    expect(await first.end()).toBe(0);
    expect(first.errors).toBe('');

    const second = new CompanionProcess({ data });
    await second.until('The model is DemoLlm');
    await second.say('/memory', 'My sister is Edda.');
    await second.say('Who is my sister?', 'My sister is Edda.');
    await second.say('/tasks', '1. water the herbs');
    await second.say('which reminders wait?', '- sleep');
    // A day of messages.
    for (let i = 0; i < 100; i++) await second.say(`My number ${i} is ${i * i}.`, 'Noted.');
    await second.say('What is my number 7?', /My number 7 is 49\./);
    await second.say('/reset', 'A new conversation starts.');
    await second.say('Who is my sister?', 'My sister is Edda.');
    const peak = second.peakMiB();
    if (peak !== undefined) expect(peak).toBeLessThan(150);
    expect(await second.end()).toBe(0);
    expect(second.errors).toBe('');
    expect(readdirSync(data).toSorted()).toEqual(['companion.db', 'messages.db', 'users.json']);
  });

  it('exits with 1 and the line of every mistake in companion.yaml', async () => {
    const data = folderForTest();
    writeFileSync(join(data, 'companion.yaml'), 'memory:\n  preload: maybe\n  api_key: x\n');
    const broken = new CompanionProcess({ data });
    expect(await broken.ended).toBe(1);
    expect(broken.errors).toBe(
      'companion.yaml:2:12: memory.preload must be true or false, got another string.\n' +
        'companion.yaml:3:3: memory.api_key is not allowed: secrets are read from the environment only.\n',
    );
  });

  it('reads a changed companion.yaml while it runs', async () => {
    const data = folderForTest();
    const companion = new CompanionProcess({ data });
    await companion.until('The model is DemoLlm');
    await companion.say('My sister is Edda.', 'Noted.');
    writeFileSync(join(data, 'companion.yaml'), 'memory: { enabled: false }');
    for (let text = ''; !text.includes('memory is off');) text = await companion.say('Who is my sister?', '.');
    expect(await companion.end()).toBe(0);
  });

  it('continues when the settings of its terminal change', async () => {
    const data = folderForTest();
    const companion = new CompanionProcess({ data });
    await companion.until('The model is DemoLlm');
    await companion.say('My sister is Edda.', 'Noted.');
    const user = 'users: [{ id: ann, identities: { terminal: ann } }]';
    writeFileSync(join(data, 'companion.yaml'), `${user}\nchannels: { terminal: { sender: ann } }`);
    for (let text = ''; !text.includes('I do not know');) text = await companion.say('Who is my sister?', '.');
    expect(await companion.end()).toBe(0);
    expect(companion.errors).toBe('');
  });

  it('runs until a signal without a terminal, also without any channel', async () => {
    const data = folderForTest();
    writeFileSync(join(data, 'companion.yaml'), 'channels: {}');
    const companion = new CompanionProcess({ data });
    await companion.until('The model is DemoLlm');
    const state = await Promise.race([companion.ended, new Promise((resolve) => setTimeout(resolve, 1_000, 'runs'))]);
    expect(state).toBe('runs');
    expect(await companion.kill('SIGTERM')).toBe(0);
    expect(companion.errors).toBe('');
  });

  it('serves the page with --port', async () => {
    const companion = new CompanionProcess({ data: folderForTest(), args: ['--port', '0'] });
    const [url] = /http:\S+/.exec(await companion.until(/Page: http\S+\n/))!;
    const login = await fetch(url, { redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    const page = await fetch(new URL('/', url), { headers: { cookie } });
    expect(await page.text()).toContain('<h3>Owner</h3>');
    expect((await fetch(new URL('/', url))).status).toBe(401);
    expect(await companion.end()).toBe(0);
  });
});

describe('runCompanion', () => {
  it('prints its usage, and throws what main.ts prints before it exits with 1', async () => {
    const data = folderForTest();
    expect(await outputOf(data, '--help')).toContain('Usage: npm run companion');
    writeFileSync(join(data, 'companion.yaml'), 'channels: { http: }');
    await expect(outputOf(data)).rejects.toThrow('channel http needs the variable COMPANION_HTTP_SECRET');
    // grow needs no channels, and therefore no secrets of channels.
    await expect(outputOf(data, 'grow', '--user', 'ann')).rejects.toThrow('Proposals need a language model');
    expect(await outputOf(data, 'grow', 'show', '--user', 'ann')).toBe('There is nothing to propose.\n');
    await expect(outputOf(data, 'dance')).rejects.toThrow('The only command is grow.');
  });

  /** Returns all output of the program, which runs in this process. */
  async function outputOf(data: string, ...args: readonly string[]): Promise<string> {
    const output = new PassThrough();
    const argv = ['--data', data, ...args];
    try {
      await runCompanion({ argv, env: {}, input: new PassThrough(), output, ended: Promise.resolve() });
    } finally {
      output.end();
    }
    return text(output);
  }
});

const secret = 'only for tests: 32 characters or more';

describe('companion process that ends with an unacknowledged message', () => {
  it('says what it waits for, and ends at once at the next signal', async () => {
    const data = folderForTest();
    const port = await freePort();
    writeFileSync(
      join(data, 'companion.yaml'),
      `users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: { port: ${port} } }\n`,
    );
    const companion = new CompanionProcess({ data, env: { COMPANION_HTTP_SECRET: secret } });
    await companion.until('The model is DemoLlm');
    const call = async (method: string, path: string, body?: string): Promise<Response> => {
      const url = `http://127.0.0.1:${port}${path}`;
      const headers = signRequest(secret, { method, url, body, timestamp: Date.now() / 1_000 });
      return fetch(url, { method, headers, ...(body !== undefined && { body }) });
    };
    await expect.poll(() => fetch(`http://127.0.0.1:${port}`).catch(() => undefined)).toBeDefined();
    await call('POST', '/', JSON.stringify({ sender: 'ann', id: 'm-1', text: 'My sister is Edda.' }));
    expect(await (await call('GET', '/?to=ann&wait=30')).text()).toContain('Noted.');
    // The first signal differs from the second, which must not be used up for the same request.
    companion.signal('SIGTERM');
    await expect.poll(() => companion.errors).toContain('Some answers are not finished or not delivered.');
    expect(await companion.kill('SIGINT')).toBeNull();
  });
});

describe('companion process that is killed', () => {
  it('answers once if it is killed between the answer and its record', async () => {
    const data = folderForTest();
    const port = await freePort();
    writeFileSync(
      join(data, 'companion.yaml'),
      `users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: { port: ${port} } }\n`,
    );
    const start = async (): Promise<CompanionProcess> => {
      const companion = new CompanionProcess({ data, env: { COMPANION_HTTP_SECRET: secret } });
      await companion.until('The model is DemoLlm');
      return companion;
    };
    const call = async (method: string, path: string, body?: string): Promise<Response> => {
      const url = `http://127.0.0.1:${port}${path}`;
      for (let i = 0; ; i++) {
        const headers = signRequest(secret, { method, url, body, timestamp: Date.now() / 1_000 });
        try {
          return await fetch(url, { method, headers, ...(body !== undefined && { body }) });
        } catch (error) {
          if (i > 200) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    const write = (id: string, text: string) => call('POST', '/', JSON.stringify({ sender: 'ann', id, text }));
    const poll = async (query: string) => {
      const { messages } = (await (await call('GET', `/?to=ann&${query}`)).json()) as {
        messages: { id: string; text: string }[];
      };
      return messages[0];
    };

    const first = await start();
    expect((await write('m-1', 'My sister is Edda.')).status).toBe(202);
    // The reply arrives, and the process is killed before the acknowledgement.
    const reply = await poll('wait=30');
    await first.kill();
    expect(reply).toMatchObject({ text: 'Noted.' });

    const second = await start();
    // The channel delivers the message again, because the acknowledgement may be lost.
    expect((await write('m-1', 'My sister is Edda.')).status).toBe(202);
    const again = await poll('wait=30');
    // The id is the same, so a client can show the reply once.
    expect(again).toEqual(reply);
    expect(await poll(`wait=2&ack=${encodeURIComponent(again!.id)}`)).toBeUndefined();
    await second.kill();

    const sessions = new DatabaseSessionService(`sqlite:///${join(data, 'companion.db')}`);
    onTestFinished(() => sessions.close());
    const session = await sessions.getSession({ appName: 'companion', userId: 'ann', sessionId: 'ann:http' });
    const messages = session!.events
      .map(({ author, content }) => `${author}: ${textOf(content)}`)
      .filter((text) => !text.endsWith(': '));
    expect(messages).toEqual(['user: My sister is Edda.', 'companion: Noted.']);
  });
});
