import type { LlmResponse } from '@thole/core';
import { setTimeout as wait } from 'node:timers/promises';
import { calls, says } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { openHouse } from '../house.ts';
import type { House } from '../house.ts';

/** A house with something in every view of the page. */
export interface FurnishedHouse extends House {
  /** The session that holds it. */
  sessionId: string;
  /** The answer in it that a request, a memory and a call stand behind. */
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

/** So that the time line has something to show. */
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

/** Memories, three sessions, and in one of them a thought, a call, an artifact, a long answer, and a call that waits. */
export async function furnishedHouse(): Promise<FurnishedHouse> {
  const booking = calls('book_room', { room: 12, nights: 2 });
  const thought = { text: 'The guest wants the same room: number 12, on a high floor.', thought: true };
  const house = await openHouse([
    says('At half past ten, then.'),
    after(90, {
      ...booking,
      content: { role: 'model', parts: [thought, ...booking.content!.parts!] },
      ...usage(412, 38),
    }),
    after(160, { ...says(booked), ...usage(498, 121) }),
    after(60, { ...calls('ask_manager', { question: 'May Alice stay until two?' }), ...usage(640, 17) }),
  ]);
  const { client } = house;
  const notes = ['Likes a room on a high floor, and quiet.', 'Is allergic to feathers.', 'Comes each May, for a week.'];
  await client.memory.add({
    ...user,
    memories: notes.map((text) => ({ kind: 'note' as const, content: { role: 'user' as const, parts: [{ text }] } })),
  });
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
  return { ...house, sessionId, eventId: answer.id };
}
