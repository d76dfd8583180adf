import { textOf } from '@thole/core';
import { calls, says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { textsIn } from './support/scripted-models.ts';
import { World } from './support/world.ts';

const GRACE = '442079460958';

const config = `
users:
  - { id: ann, name: Ann, role: admin, identities: { terminal: me, telegram: ann-t } }
  - { id: bob, name: Bob, identities: { http: bob } }
  - { id: grace, name: Grace, identities: { whatsapp: '${GRACE}' } }
channels:
  terminal:
  http:
  telegram:
  whatsapp: { phone_number_id: '1' }
sessions:
  idle_consolidate_minutes: 30.0
`;

describe('a day with the companion', () => {
  it('serves three people on four channels across a restart, with current memory', async () => {
    const world = new World();
    world.configure(config);
    const facts = async (userId: string): Promise<string[]> => {
      const filter = { kinds: ['fact' as const], validAt: world.runtime.now() };
      const { memories } = await world.companion.memory.listMemories!({ appName: 'companion', userId, filter });
      return memories.map(({ content }) => textOf(content)).toSorted();
    };
    const lastRequest = (): string => textsIn(world.models.agent.requests.at(-1)!);

    // Morning. Ann talks in the terminal and on Telegram, Bob over HTTP, Grace on WhatsApp. Memory is empty.
    await world.start({
      'I am vegetarian.': [says('Noted.')],
      'My girlfriend has the number +44 20 7946 0958.': [says('Lovely.')],
      'Plan the herb garden': [calls('add_task', { title: 'Plan the herb garden' }), says('It is on your board.')],
      'Remind me at six to water the herbs': [
        calls('remind_me', { text: 'Water the herbs', in_minutes: 600 }),
        says('I will.'),
      ],
      'I like steak.': [says('Enjoy.')],
      'I am a pilot.': [says('Have a good flight.')],
    });
    expect(await world.say('terminal', 'me', 'I am vegetarian.')).toEqual(['Noted.']);
    expect(lastRequest()).not.toContain('<USER_PROFILE>');
    await world.say('terminal', 'me', 'My girlfriend has the number +44 20 7946 0958.');
    await world.say('telegram', 'ann-t', 'Plan the herb garden');
    expect(await world.say('telegram', 'ann-t', 'Remind me at six to water the herbs')).toEqual(['I will.']);
    await world.say('http', 'bob', 'I like steak.');
    expect(lastRequest()).not.toMatch(/vegetarian|girlfriend|herb/);
    await world.say('whatsapp', GRACE, 'I am a pilot.');
    expect(await facts('ann')).toEqual([]);

    // The process stops. This adds nothing to memory, and the next process continues the conversations.
    await world.stop();
    await world.start({
      'And now?': [
        (request) => {
          expect(textsIn(request)).toContain('I am vegetarian.');
          return says('Now you are here.');
        },
      ],
      'Which number does my girlfriend have?': [
        (request) => {
          expect(textsIn(request)).toContain('<USER_PROFILE>');
          expect(textsIn(request)).toContain('- I am vegetarian.');
          expect(textsIn(request)).toContain('- Plan the herb garden');
          return calls('load_memory', { query: 'number of girlfriend' });
        },
        (request) => {
          expect(JSON.stringify(request.contents.at(-1))).toContain('+44 20 7946 0958');
          return says('It is +44 20 7946 0958.');
        },
      ],
      'I eat fish again.': [says('Good to know.')],
      'Tell my girlfriend I am late.': [
        calls('message_user', { recipient: 'my girlfriend', text: 'I am late.' }),
        says('I have told her.'),
      ],
      'Tell Ann that the steak was great.': [
        calls('message_user', { recipient: 'Ann', text: 'The steak was great.' }),
        says('Done.'),
      ],
      'What do you know about me?': [
        (request) => {
          expect(textsIn(request)).not.toMatch(/vegetarian|fish|girlfriend|herb/);
          return calls('load_memory', { query: 'what do you know about me' });
        },
        (request) => {
          expect(JSON.stringify(request.contents)).not.toMatch(/vegetarian|fish|girlfriend/);
          return says('You like steak.');
        },
      ],
      'Who am I?': [
        (request) => {
          expect(textsIn(request)).not.toMatch(/fish|vegetarian/);
          expect(textsIn(request)).toContain('- My girlfriend has the number');
          return says('Ann.');
        },
      ],
    });
    expect(await world.say('terminal', 'me', 'And now?')).toEqual(['Now you are here.']);

    // Noon. All conversations become idle, and each becomes memory of one person.
    await world.pass(31);
    expect(await facts('ann')).toEqual(['I am vegetarian.', 'My girlfriend has the number +44 20 7946 0958.']);
    expect(await facts('bob')).toEqual(['I like steak.']);
    expect(await facts('grace')).toEqual(['I am a pilot.']);
    expect((await world.companion.sessions.listSessions({ appName: 'companion' })).total).toBe(0);

    // Another channel uses the same profile, and details are found on request.
    expect(await world.say('telegram', 'ann-t', 'Which number does my girlfriend have?')).toEqual([
      'It is +44 20 7946 0958.',
    ]);

    // Afternoon. A correction ends the old fact.
    await world.say('telegram', 'ann-t', 'I eat fish again.');
    await world.pass(31);
    expect(await facts('ann')).toEqual(['I eat fish again.', 'My girlfriend has the number +44 20 7946 0958.']);

    // A message to a third person, identified by a relationship. Bob must confirm his message before it is sent.
    expect(await world.say('terminal', 'me', 'Tell my girlfriend I am late.')).toEqual(['I have told her.']);
    expect(await world.received('whatsapp', GRACE)).toEqual(['Ann: I am late.']);
    const [question] = await world.say('http', 'bob', 'Tell Ann that the steak was great.');
    expect(question).toContain('Send to Ann: “The steak was great.”?');
    expect(await world.say('http', 'bob', 'yes')).toEqual(['Done.']);
    expect(await world.received('terminal', 'me')).toEqual(['Bob: The steak was great.']);
    expect(await world.say('http', 'bob', 'What do you know about me?')).toEqual(['You like steak.']);

    // A forgotten fact is no longer in the profile.
    const listed = (await world.say('telegram', 'ann-t', '/memory'))[0]!.split('\n');
    const line = listed.findIndex((each) => each.includes('fish')) + 1;
    expect((await world.say('telegram', 'ann-t', `/forget ${line}`))[0]).toContain('Forgotten');
    expect(await facts('ann')).toEqual(['My girlfriend has the number +44 20 7946 0958.']);
    expect(await world.say('telegram', 'ann-t', 'Who am I?')).toEqual(['Ann.']);

    // Six o'clock. The second process sends the reminder once, on the channel that created it.
    await world.pass(600);
    expect(await world.received('telegram', 'ann-t')).toEqual(['Reminder: Water the herbs']);
    await world.pass(60);
    expect(await world.received('telegram', 'ann-t')).toEqual([]);
    expect(world.runtime.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
