import type { NewMemory } from '@thole/core';
import { calls, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createPageHandler } from '../../src/page/page-handler.ts';
import { World } from '../support/world.ts';

const config = `
users:
  - { id: ann, name: Ann, role: admin, identities: { http: ann } }
  - { id: bob, name: '<b>Bob</b>', identities: { http: bob } }
channels: { http: }
unknown_senders: approve
`;
const token = 'a-token-for-tests';

async function startPage(chat: Parameters<World['start']>[0] = {}) {
  const world = new World();
  world.configure(config);
  await world.start(chat);
  const handle = createPageHandler({ companion: world.companion, token });
  const cookie = `companion_token=${token}`;
  const page = async (): Promise<string> =>
    (await handle(new Request('http://localhost/', { headers: { cookie } }))).text();
  /** Submits the form of the page that has this action and these buttons. */
  async function submit(action: string, decision: string, headers: { [name: string]: string } = { cookie }) {
    const [, form] = new RegExp(`<form method="post" action="${action}">([^]*?)</form>`).exec(await page()) ?? [];
    const fields = Array.from((form ?? '').matchAll(/name="(\w+)" value="([^"]*)"\s*\/>/g), ([, name, value]) => [
      name!,
      value!.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ]);
    const body = new URLSearchParams([...fields, ['decision', decision]]).toString();
    const length = { 'content-length': String(body.length) };
    return handle(
      new Request(`http://localhost${action}`, { method: 'POST', headers: { ...length, ...headers }, body }),
    );
  }
  return { handle, page, submit, world };
}

describe('page of the companion', () => {
  it('follows the text size of the browser', async () => {
    const { handle } = await startPage();
    const style = await (
      await handle(new Request('http://localhost/style.css', { headers: { cookie: `companion_token=${token}` } }))
    ).text();
    expect(style).toContain('font: 1rem');
    expect(style).not.toMatch(/font[^;]*\dpx/);
  });

  it('shows all stored data, with all values escaped', async () => {
    const { page, world } = await startPage({
      'Plan <it>': [
        calls('add_task', { title: 'Plan <it>' }),
        calls('remind_me', { text: 'Tea & cake', in_minutes: 60 }),
        says('Done.'),
      ],
    });
    await world.say('http', 'ann', '/remember I like "quotes" & <script>alert(1)</script>.');
    await world.say('http', 'ann', 'Plan <it>');
    const html = await page();
    for (const text of [
      '<h3>&lt;b&gt;Bob&lt;/b&gt;</h3>',
      'ann, admin, http: ann',
      'I like &quot;quotes&quot; &amp; &lt;script&gt;alert(1)&lt;/script&gt;.',
      'Plan &lt;it&gt;',
      'Tea &amp; cake, at 2023-11-14 23:13 UTC on http',
      'Ann on http',
      'No approval is pending.',
    ])
      expect(html).toContain(text);
    expect(html).not.toContain('<script');
  });

  it('shows memories that end in the future, but not those that have ended', async () => {
    const { page, world } = await startPage();
    const now = world.runtime.now();
    const fact = (text: string, validTo: number): NewMemory => ({
      ...{ kind: 'fact', author: 'user', content: { role: 'user', parts: [{ text }] }, validTo },
    });
    const memories = [fact('Lives in Bonn.', now + 86_400), fact('Lives in Rome.', now - 86_400)];
    await world.companion.memory.addMemory!({ appName: 'companion', userId: 'ann', memories });
    const html = await page();
    expect(html).toContain('Lives in Bonn.');
    expect(html).not.toContain('Lives in Rome.');
  });

  it('approves a stranger, and answers the waiting message', async () => {
    const { page, submit, world } = await startPage({ Hello: [says('Hi!')] });
    await world.say('http', 'carl', 'Hello');
    expect(await page()).toContain('carl (carl) wants to talk on http.');
    expect((await submit('/sender', 'yes')).headers.get('location')).toBe('/?done=yes');
    await world.settle();
    expect((await world.received('http', 'carl')).at(-1)).toBe('Hi!');
    expect(await page()).toContain('No approval is pending.');
  });

  it('rejects a stranger, and deletes the waiting message', async () => {
    const { submit, world } = await startPage({ Hello: [says('Hi!')] });
    await world.say('http', 'carl', 'Hello');
    await submit('/sender', 'no');
    await world.settle();
    expect(world.models.agent.requests).toEqual([]);
    expect(await world.companion.identities.listRequests()).toEqual([]);
  });

  it('answers a confirmation once, and sends the answer of the agent to the channel', async () => {
    const { page, submit, world } = await startPage({
      'Tell Ann hello': [calls('message_user', { recipient: 'Ann', text: 'Hello.' }), says('I have told her.')],
    });
    await world.say('http', 'bob', 'Tell Ann hello');
    expect(await page()).toContain('&lt;b&gt;Bob&lt;/b&gt; on http: Send to Ann: “Hello.”?');
    expect((await submit('/answer', 'yes')).status).toBe(303);
    await world.settle();
    expect(await world.received('http', 'ann')).toEqual(['<b>Bob</b>: Hello.']);
    expect(await world.received('http', 'bob')).toEqual(['I have told her.']);
    expect((await submit('/answer', 'yes')).status).toBe(400);
  });

  it('applies and dismisses proposals', async () => {
    const { page, submit, world } = await startPage({ 'I am a pilot.': [says('Nice.')], 'I am 40.': [says('Nice.')] });
    await world.say('http', 'ann', 'I am a pilot.');
    await world.say('http', 'ann', 'I am 40.');
    await world.companion.growth.propose('ann');
    expect(await page()).toContain('Memory of Ann: add “I am a pilot.”, because The user wrote it.');
    await submit('/proposal', 'yes');
    expect(await page()).toContain('<li>I am a pilot.</li>');
    await submit('/proposal', 'no');
    expect(await page()).toContain('No approval is pending.');
    expect(await page()).not.toContain('<li>I am 40.</li>');
  });

  it('refuses requests without the token, and exchanges the token for a cookie', async () => {
    const { handle, submit, world } = await startPage();
    await world.say('http', 'carl', 'Hello');
    for (const path of ['/', '/style.css', '/?token=wrong', '/other'])
      expect((await handle(new Request(`http://localhost${path}`))).status).toBe(401);
    expect((await submit('/sender', 'yes', {})).status).toBe(401);
    expect(await world.companion.identities.listRequests()).toHaveLength(1);
    const response = await handle(new Request(`http://localhost/?token=${token}`));
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    expect(response.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
  });

  it('refuses forms of other pages on this machine, which send the cookie too', async () => {
    const { submit, world } = await startPage();
    await world.say('http', 'eve', 'Let me in.');
    const cookie = `companion_token=${token}`;
    expect((await submit('/sender', 'yes', { cookie, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect(await world.companion.identities.listRequests()).toHaveLength(1);
    expect((await submit('/sender', 'yes', { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  it('answers unknown paths with 404, and refuses large forms', async () => {
    const { handle } = await startPage();
    const headers = { cookie: `companion_token=${token}` };
    expect((await handle(new Request('http://localhost/other', { headers }))).status).toBe(404);
    const large = { method: 'POST', headers: { ...headers, 'content-length': '20000' }, body: 'x'.repeat(20_000) };
    expect((await handle(new Request('http://localhost/sender', large))).status).toBe(400);
    expect((await handle(new Request('http://localhost/sender', { method: 'POST', headers, body: 'x' }))).status).toBe(
      400,
    );
  });
});
