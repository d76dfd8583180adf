import type { User } from '@thole/channels';
import type { MemoryEntry } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { resolveRecipient } from '../../src/messages/resolve-recipient.ts';

const user = (id: string, name: string, ...senders: string[]): User => ({
  ...{ id, name, role: 'user', createdAt: 1 },
  identities: senders.map((sender) => ({ channel: 'whatsapp', sender })),
});
const grace = user('grace', 'Grace Hopper', '442079460958');
const toGrace = { userId: 'grace', name: 'Grace Hopper' };
const users = [grace, user('bob', 'Bob'), user('bob-2', 'Bob Ross')];

const fact = (text: string): MemoryEntry => ({ id: text, kind: 'fact', content: { parts: [{ text }] } });
const turn = (author: string, text: string): MemoryEntry => ({ ...fact(text), kind: 'turn', author });

const resolve = (recipient: string, ...memories: MemoryEntry[]) =>
  resolveRecipient({ recipient, users, search: async () => memories });

describe('resolveRecipient', () => {
  it.each(['Grace Hopper', 'grace hopper', 'grace', ' Grace ', '+44 20 7946 0958', '00442079460958'.slice(2)])(
    'finds the user by name, id, first name or number: %s',
    async (recipient) => {
      expect(await resolve(recipient)).toEqual(toGrace);
    },
  );

  it('prefers a complete name, and asks if several people have the first name', async () => {
    expect(await resolve('bob')).toEqual({ userId: 'bob', name: 'Bob' });
    const alike = [user('b1', 'Bob Ross'), user('b2', 'Bob Dylan')];
    const search = async (): Promise<MemoryEntry[]> => [];
    const found = await resolveRecipient({ recipient: 'Bob', users: alike, search });
    expect(found).toEqual({ ask: expect.stringContaining('Several'), candidates: ['Bob Ross', 'Bob Dylan'] });
  });

  it('does not take an id of another channel for a phone number', async () => {
    const stranger = { ...user('eve', 'Eve'), identities: [{ channel: 'telegram', sender: '5551234567' }] };
    const search = async (): Promise<MemoryEntry[]> => [];
    const found = await resolveRecipient({ recipient: '(555) 123-4567', users: [stranger], search });
    expect(found).toEqual({ number: '5551234567', name: '(555) 123-4567' });
  });

  it('accepts the number of a stranger, and asks again for fewer than 8 digits', async () => {
    expect(await resolve('0171 2345678')).toEqual({ number: '01712345678', name: '0171 2345678' });
    expect(await resolve('123 4567')).toEqual({ ask: expect.stringContaining('at least 8 digits'), candidates: [] });
  });

  it('finds a relationship in memory: by its number, or by the name of a user', async () => {
    const memory = fact('Edda is her girlfriend; her number is +49 171 2345678.');
    const edda = { number: '491712345678', name: 'girlfriend' };
    expect(await resolve('girlfriend', memory)).toEqual(edda);
    expect(await resolve('my girlfriend', memory)).toEqual(edda);
    const byNumber = fact('The boss has the number 44 20 7946 0958.');
    expect(await resolve('boss', byNumber)).toEqual(toGrace);
    expect(await resolve('boss', fact('Grace Hopper is my boss.'))).toEqual(toGrace);
  });

  it('asks if memory contains several people or none', async () => {
    const two = [fact('Brother Jan: 0171 1111111.'), fact('Another brother has 0171 2222222.')];
    expect(await resolve('brother', ...two)).toEqual({
      ask: expect.stringContaining('Several'),
      candidates: ['01711111111', '01712222222'],
    });
    expect(await resolve('sister', ...two)).toMatchObject({ ask: expect.stringContaining('No person') });
    expect(await resolve('bro', ...two)).toMatchObject({ ask: expect.stringContaining('No person') });
    expect(await resolve('  ')).toMatchObject({ ask: 'Ask who should get the message.' });
  });

  it('ignores facts that only the agent has written', async () => {
    const guess = turn('companion', 'Your girlfriend may have the number 0171 9999999.');
    expect(await resolve('girlfriend', guess)).toMatchObject({ ask: expect.stringContaining('No person') });
    const said = turn('user', 'My girlfriend has the number 0171 9999999.');
    expect(await resolve('girlfriend', guess, said)).toMatchObject({ number: '01719999999' });
  });

  it('reads special characters of a name as text', async () => {
    expect(await resolve('.*(', fact('0171 9999999 is hers.'))).toMatchObject({ ask: expect.any(String) });
  });
});
