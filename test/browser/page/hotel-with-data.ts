import { turnId } from '@thole/core/kit';
import type { Content, LlmResponse, NewMemory } from '@thole/core';
import { setTimeout as wait } from 'node:timers/promises';
import { calls, says } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';

/** A hotel server with data for every view of the page. */
export interface HotelWithData extends HotelServer {
  /** Id of the session with the data. */
  sessionId: string;
  /** Id of the event with an answer that has a request, memories and a call. */
  eventId: string;
}

const user = { appName: 'hotel', userId: 'user' };

const booked = `Room **12** is booked, on a high floor, as last time.

| night | price |
| --- | ---: |
| Friday | 120 € |
| Saturday | 140 € |

\`\`\`ts
// What the hotel keeps of it
export const booking = { room: 12, nights: 2 };
\`\`\`

Breakfast is from seven. The [house rules](https://example.com/rules) stand by the door.`;

/** Returns an answer that takes `ms`, so that it has a length in the timeline. */
function after(ms: number, answer: LlmResponse): ScriptedAnswer {
  return async () => {
    await wait(ms);
    return answer;
  };
}

const usage = (promptTokenCount: number, candidatesTokenCount: number): Partial<LlmResponse> => ({
  usageMetadata: {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount,
    cachedContentTokenCount: 96,
  },
});

/** Returns turns of last year, facts from them, and a note. */
function remembered(): NewMemory[] {
  const content = (text: string): Content => ({ role: 'user', parts: [{ text }] });
  const [may, june] = [1_746_000_000, 1_749_000_000];
  const said = (eventId: string, text: string, timestamp: number): NewMemory & { id: string } => ({
    ...{ id: turnId('last-year', eventId), kind: 'turn', sessionId: 'last-year', eventId, author: 'user' },
    ...{ content: content(text), timestamp },
  });
  const fact = (id: string, text: string, { id: evidence, timestamp }: NewMemory): NewMemory => ({
    ...{ id, kind: 'fact', content: content(text), evidence: [evidence!], timestamp, validFrom: timestamp },
  });
  const turns = [
    said('a', 'Something on the ground floor, please.', may),
    said('b', 'High up next time, and quiet. No feathers in the pillow: I am allergic.', june),
  ] as const;
  return [
    ...turns,
    { ...fact('ground', 'Likes a room on the ground floor.', turns[0]), validTo: june, supersededBy: 'high' },
    fact('high', 'Likes a room on a high floor, and quiet.', turns[1]),
    fact('feathers', 'Is allergic to feathers.', turns[1]),
    { kind: 'note', content: content('Comes each May, for a week.') },
  ];
}

/**
 * Starts a hotel server with memories and three sessions. One session has a thought, a call, an artifact, a long answer, and a call
 * that waits.
 */
export async function startHotelWithData(): Promise<HotelWithData> {
  const booking = calls('book_room', { room: 12, nights: 2 });
  const thought = { text: 'The guest wants the same room: number 12, on a high floor.', thought: true };
  const hotel = await startHotelServer([
    says('At half past ten, then.'),
    after(30, {
      ...booking,
      content: { role: 'model', parts: [thought, ...booking.content!.parts!] },
      ...usage(412, 38),
    }),
    after(60, { ...says(booked), ...usage(498, 121) }),
    after(20, { ...calls('ask_manager', { question: 'May Alice stay until two?' }), ...usage(640, 17) }),
  ]);
  const { client } = hotel;
  await client.memory.add({ ...user, memories: remembered() });
  for (const displayName of ['A taxi to the station, at six in the morning, for four', 'Bob’s late breakfast'])
    await client.sessions.create({ ...user, sessionId: displayName, state: { __session_metadata__: { displayName } } });
  const late = { role: 'user' as const, parts: [{ text: 'May I have breakfast late?' }] };
  await client.runToCompletion({ ...user, sessionId: 'Bob’s late breakfast', newMessage: late });
  const sessionId = 'alice';
  const ref = { ...user, sessionId };
  const state = { __session_metadata__: { displayName: 'Alice books a room' }, mood: 'calm', guests: 2 };
  await client.sessions.create({ ...ref, state });
  for (const text of ['Book me a room on a high floor, like last time.', 'May I stay longer on Sunday?'])
    await client.runToCompletion({ ...ref, newMessage: { role: 'user', parts: [{ text }] } });
  const { events } = await client.sessions.get(ref);
  const answer = events.find(({ content }) => content?.parts?.some(({ text }) => text === booked))!;
  return { ...hotel, sessionId, eventId: answer.id };
}
