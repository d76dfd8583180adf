import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '@thole/channels';
import { TholeError } from '@thole/core';
import { calls, FixedRuntime, says } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Companion } from '../src/companion.ts';
import { folderForTest } from './folder-for-test.ts';
import { scriptedModels, textsIn } from './support/scripted-models.ts';
import { World } from './support/world.ts';

describe('Companion', () => {
  it('answers the owner in the terminal without configured users, and refuses strangers', async () => {
    const world = new World();
    world.configure('channels: { terminal: , http: }');
    await world.start({ Hello: [says('Hi!')] });
    expect(await world.say('terminal', 'me', 'Hello')).toEqual(['Hi!']);
    expect(await world.say('http', 'mallory', 'Hello')).toEqual([]);
    expect((await world.companion.identities.list()).map(({ id, role }) => [id, role])).toEqual([['owner', 'admin']]);
  });

  it('answers a message once if its channel delivers it again, also after a restart', async () => {
    const world = new World();
    world.configure('users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: }');
    const chat = { Hello: [says('Hi!')] };
    await world.start(chat);
    await world.write('http', 'ann', 'Hello', 'm-1');
    await world.write('http', 'ann', 'Hello', 'm-1');
    await world.settle();
    expect(await world.received('http', 'ann')).toEqual(['Hi!']);
    await world.stop();
    await world.start(chat);
    await world.write('http', 'ann', 'Hello', 'm-1');
    await world.settle();
    expect(await world.received('http', 'ann')).toEqual([]);
    expect(world.models.agent.requests).toHaveLength(0);
  });

  it('uses a new configuration from the next message on, and keeps session and messages', async () => {
    const world = new World();
    const base = 'users: [{ id: ann, name: Ann, identities: { http: ann } }]\n';
    world.configure(`${base}channels: { http: }\nsessions: { window_turns: 30 }`);
    await world.start({
      One: [says('1')],
      Two: [says('2')],
      Three: [says('3')],
      Four: [says('4')],
    });
    await world.say('http', 'ann', 'One');
    await world.say('http', 'ann', 'Two');
    world.configure(`${base.replace('Ann', 'Anna')}channels: { http: }\nsessions: { window_turns: 1 }`);
    await world.write('http', 'ann', 'Three');
    await world.companion.checkConfig();
    await world.settle();
    expect(await world.received('http', 'ann')).toEqual(['3']);
    expect(textsIn(world.models.agent.requests.at(-1)!)).not.toContain('One');
    expect(textsIn(world.models.agent.requests.at(-1)!)).toContain('You talk to "Anna".');
    // An invalid file changes nothing.
    world.configure('sessions: { window_turns: none }');
    await world.companion.checkConfig();
    expect(world.runtime.logs.at(-1)?.message).toContain('companion.yaml:1:27: sessions.window_turns');
    expect(await world.say('http', 'ann', 'Four')).toEqual(['4']);
    const session = await world.companion.sessions.getSession({
      appName: 'companion',
      userId: 'ann',
      sessionId: 'ann:http',
    });
    expect(session?.events.filter(({ author }) => author === 'user')).toHaveLength(4);
  });

  it('adds a channel and people while running', async () => {
    const world = new World();
    world.configure('channels: { terminal: }');
    await world.start({ Hello: [says('Hi!')] });
    world.configure('users: [{ id: bob, identities: { telegram: "42" } }]\nchannels: { terminal: , telegram: }');
    await world.companion.checkConfig();
    expect(await world.say('telegram', '42', 'Hello')).toEqual(['Hi!']);
    expect(await world.say('terminal', 'me', 'Hello')).toEqual(['Hi!']);
  });

  it('keeps the old settings if a new channel cannot start', async () => {
    const folder = folderForTest();
    const runtime = new FixedRuntime();
    const channel = (name: string, start: () => Promise<void>): Channel => {
      return { specVersion: 1, name, start, stop: async () => {}, send: async () => ({}) };
    };
    const chat = channel('chat', async () => {});
    const taken = channel('http', () => Promise.reject(new TholeError('CHANNEL_UNAVAILABLE', 'The port is taken.')));
    const companion = await Companion.open({
      ...{ folder, env: {}, runtime, createModels: async () => scriptedModels({}) },
      createChannels: async ({ http }) => (http ? [chat, taken] : [chat]),
    });
    onTestFinished(() => companion.close());
    await companion.start();
    writeFileSync(join(folder, 'companion.yaml'), 'channels: { http: }\nsessions: { window_turns: 1 }');
    await companion.checkConfig();
    expect(runtime.logs.at(-1)?.message).toBe('The new configuration is not in use. The port is taken.');
    expect(companion.config.sessions.windowTurns).toBe(30);
    expect(companion.dispatcher.channels).toEqual([chat]);
  });

  it('creates the profile again after a new configuration, with the open tasks', async () => {
    const world = new World();
    const config = (limit: number): string =>
      `users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: }\nmemory: { preload_limit: ${limit} }`;
    world.configure(config(20));
    await world.start({
      'Add it': [calls('add_task', { title: 'Plan the herb garden' }), says('Added.')],
      'And now?': [says('Now.')],
    });
    await world.say('http', 'ann', '/remember I am vegetarian.');
    await world.say('http', 'ann', 'Add it');
    expect(await world.say('http', 'ann', '/tasks')).toEqual(['1. Plan the herb garden']);
    expect(textsIn(world.models.agent.requests.at(-1)!)).toContain('- I am vegetarian.');
    expect(textsIn(world.models.agent.requests.at(-1)!)).not.toContain('herb garden');
    const before = world.models.memory.requests.length;
    world.configure(config(10));
    await world.companion.checkConfig();
    await world.say('http', 'ann', 'And now?');
    expect(world.models.memory.requests.length).toBe(before + 1);
    expect(textsIn(world.models.agent.requests.at(-1)!)).toContain('- Plan the herb garden');
  });

  it('answers without memory tools and profile if memory.enabled is false', async () => {
    const world = new World();
    world.configure('users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: }\nmemory: { enabled: false }');
    await world.start({ Hello: [says('Hi!')] });
    expect(await world.say('http', 'ann', 'Hello')).toEqual(['Hi!']);
    const { config } = world.models.agent.requests[0]!;
    expect(JSON.stringify(config.tools)).toContain('add_task');
    expect(JSON.stringify(config.tools)).not.toMatch(/load_memory|remember"/);
    expect(await world.say('http', 'ann', '/memory')).toEqual([expect.stringContaining('Memory is off')]);
    await world.pass(60);
    expect((await world.companion.sessions.listSessions({ appName: 'companion' })).total).toBe(1);
  });

  it('deletes a user, and with data: true all data and reminders', async () => {
    const world = new World();
    world.configure('users: [{ id: ann, identities: { http: ann } }]\nchannels: { http: }');
    await world.start({ 'Remind me': [calls('remind_me', { text: 'Tea', in_minutes: 30 }), says('Yes.')] });
    await world.say('http', 'ann', 'Remind me');
    await world.say('http', 'ann', '/remember I am Ann.');
    expect(await world.companion.deleteUser({ userId: 'ann', data: true })).toBe(true);
    expect(await world.companion.reminders.list('ann')).toEqual([]);
    const { memories } = await world.companion.memory.listMemories!({ appName: 'companion', userId: 'ann' });
    expect(memories).toEqual([]);
    expect(await world.companion.deleteUser({ userId: 'ann' })).toBe(false);
  });
});
