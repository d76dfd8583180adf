import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { calls, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { textsIn } from './support/scripted-models.ts';
import { World } from './support/world.ts';

const ann = { appName: 'companion', userId: 'ann' };
const config = `
users: [{ id: ann, name: Ann, identities: { http: ann, telegram: ann-t } }, { id: bob, name: Bob, identities: { http: bob } }]
channels: { http: , telegram: }
sessions: { window_turns: 2, idle_consolidate_minutes: 0.5 }
`;

/** Starts a companion. Returns it with functions that read its stores. */
async function startWorld(chat: Parameters<World['start']>[0]) {
  const world = new World();
  world.configure(config);
  await world.start(chat);
  const memories = async (...kinds: MemoryEntry['kind'][]): Promise<string[]> => {
    const { memories: entries } = await world.companion.memory.listMemories!({ ...ann, filter: { kinds } });
    return entries.map(({ content }) => textOf(content));
  };
  const session = (channel = 'http') => world.companion.sessions.getSession({ ...ann, sessionId: `ann:${channel}` });
  const agentRequests = () => world.models.agent.requests.map(textsIn);
  return { agentRequests, memories, session, world };
}

// Follows a message step by step, in the order in which the steps occur.
describe('life of a message', () => {
  it('1. a slash command uses no model, no session and no idle timer', async () => {
    const { agentRequests, memories, session, world } = await startWorld({});
    expect(await world.say('http', 'ann', '/remember My name is Ann.')).toEqual(['Remembered: My name is Ann.']);
    expect(await world.say('http', 'ann', '/memory')).toEqual(['1. note: My name is Ann.']);
    expect([agentRequests(), world.models.memory.requests, await session()]).toEqual([[], [], undefined]);
    expect(await memories('note')).toEqual(['My name is Ann.']);
  });

  it('2. the first message creates the profile with one call, and later turns reuse it', async () => {
    const { agentRequests, world } = await startWorld({ One: [says('1')], Two: [says('2')] });
    await world.say('http', 'ann', '/remember My name is Ann.');
    await world.say('http', 'ann', 'One');
    await world.say('http', 'ann', 'Two');
    expect(world.models.memory.requests).toHaveLength(1);
    expect(agentRequests().every((text) => text.includes('<USER_PROFILE>') && text.includes('- My name is Ann.'))).toBe(
      true,
    );
  });

  it('3. without memories there is no profile and no call for it', async () => {
    const { agentRequests, world } = await startWorld({ One: [says('1')] });
    await world.say('http', 'ann', 'One');
    expect([world.models.memory.requests, agentRequests()[0]!.includes('<USER_PROFILE>')]).toEqual([[], false]);
  });

  it('4. the window limits the request, and the session keeps all messages and answers', async () => {
    const { agentRequests, session, world } = await startWorld({
      One: [says('1')],
      Two: [says('2')],
      Three: [says('3')],
    });
    for (const text of ['One', 'Two', 'Three']) await world.say('http', 'ann', text);
    expect(agentRequests()[2]).not.toContain('One');
    expect((await session())!.events.map(({ author, content }) => `${author}: ${textOf(content)}`)).toEqual([
      ...['user: One', 'companion: 1', 'user: Two', 'companion: 2', 'user: Three', 'companion: 3'],
    ]);
  });

  it('5. the model may call load_memory and remember, and only the answer is sent', async () => {
    const { memories, world } = await startWorld({
      'Where is my passport?': [
        calls('load_memory', { query: 'passport' }),
        (request) => says(/blue drawer/.test(JSON.stringify(request.contents)) ? 'In the blue drawer.' : 'No idea.'),
      ],
      'Grace is my girlfriend.': [calls('remember', { fact: 'Grace is the girlfriend of Ann.' }), says('Lovely.')],
    });
    await world.say('http', 'ann', '/remember The passport is in the blue drawer.');
    expect(await world.say('http', 'ann', 'Where is my passport?')).toEqual(['In the blue drawer.']);
    expect(await world.say('http', 'ann', 'Grace is my girlfriend.')).toEqual(['Lovely.']);
    expect(await memories('note')).toContain('Grace is the girlfriend of Ann.');
  });

  it('6. after an idle time of half a minute the conversation becomes facts and is deleted', async () => {
    const { memories, session, world } = await startWorld({ 'I am vegetarian.': [says('Noted.')] });
    await world.say('http', 'ann', 'I am vegetarian.');
    expect(await session()).toBeDefined();
    await world.pass(0.5);
    expect([await session(), await memories('fact')]).toEqual([undefined, ['I am vegetarian.']]);
  });

  it('7. each turn starts the idle timer again', async () => {
    const { session, world } = await startWorld({ One: [says('1')], Two: [says('2')] });
    await world.say('http', 'ann', 'One');
    await world.runtime.advance(20_000);
    await world.say('http', 'ann', 'Two');
    await world.runtime.advance(20_000);
    expect((await session())?.events).toHaveLength(4);
  });

  it('8. /reset adds the conversation to memory and deletes it, and long-term memory stays', async () => {
    const { memories, session, world } = await startWorld({ 'I am vegetarian.': [says('Noted.')] });
    await world.say('http', 'ann', 'I am vegetarian.');
    expect((await world.say('http', 'ann', '/reset'))[0]).toContain('A new conversation starts.');
    expect([await session(), await memories('fact')]).toEqual([undefined, ['I am vegetarian.']]);
  });

  it('9. a shutdown adds nothing to memory, and the next start adds idle conversations', async () => {
    const { memories, session, world } = await startWorld({ 'I am vegetarian.': [says('Noted.')] });
    await world.say('http', 'ann', 'I am vegetarian.');
    await world.stop();
    await world.runtime.advance(60_000);
    await world.start({});
    await world.settle();
    expect([await session(), await memories('fact')]).toEqual([undefined, ['I am vegetarian.']]);
  });

  it('10. a changed configuration creates the profile again, and keeps the session', async () => {
    const { session, world } = await startWorld({ One: [says('1')], Two: [says('2')] });
    await world.say('http', 'ann', '/remember My name is Ann.');
    await world.say('http', 'ann', 'One');
    world.configure(config.replace('window_turns: 2', 'window_turns: 9'));
    await world.companion.checkConfig();
    await world.say('http', 'ann', 'Two');
    expect(world.models.memory.requests).toHaveLength(2);
    expect((await session())!.events).toHaveLength(4);
  });

  it('11. one person on two channels shares memory, and two people on one channel do not', async () => {
    const { agentRequests, session, world } = await startWorld({ Hello: [says('Hi.')] });
    await world.say('http', 'ann', '/remember My name is Ann.');
    await world.say('telegram', 'ann-t', 'Hello');
    await world.say('http', 'bob', 'Hello');
    expect(agentRequests()[0]).toContain('- My name is Ann.');
    expect(agentRequests()[1]).not.toContain('My name is Ann.');
    expect([await session('http'), (await session('telegram'))?.events.length]).toEqual([undefined, 2]);
    expect(await world.say('http', 'bob', '/memory')).toEqual(['Nothing is remembered.']);
  });

  it('12. /forget asks, then deletes the user’s memory and keeps the conversation', async () => {
    const { memories, session, world } = await startWorld({ Hello: [says('Hi.')] });
    await world.say('http', 'ann', 'Hello');
    await world.say('http', 'ann', '/remember My name is Ann.');
    expect((await world.say('http', 'ann', '/forget'))[0]).toContain('yes or no');
    expect((await world.say('http', 'ann', 'yes'))[0]).toContain('Forgotten');
    expect([await memories('note', 'fact', 'turn'), (await session())?.events.length]).toEqual([[], 2]);
  });

  it('13. grow proposes memories, applies approved ones, and undoes them', async () => {
    const { memories, world } = await startWorld({ 'I am a pilot.': [says('Nice.')] });
    await world.say('http', 'ann', 'I am a pilot.');
    const { evidence, proposal } = (await world.companion.growth.propose('ann'))[0]!;
    expect(evidence).toEqual([{ author: 'user', text: 'I am a pilot.' }]);
    expect(await world.companion.growth.apply('ann', [proposal.id], 'ann')).toEqual({ applied: 1, refused: [] });
    expect(await memories('fact')).toEqual(['I am a pilot.']);
    expect(await world.companion.growth.undo('ann')).toBe(1);
    expect(await memories('fact')).toEqual([]);
  });
});
