import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { test } from 'vitest';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };

function event(id: string): Event {
  const content = { role: 'model' as const, parts: [{ text: 'Hello there.' }] };
  return createEvent({ id, author: 'agent', content, actions: { stateDelta: { count: 1 } } });
}

async function sessionOf(length: number): Promise<InMemorySessionService> {
  const service = new InMemorySessionService();
  await service.createSession(ref);
  for (let i = 0; i < length; i++) await service.appendEvent({ session: ref, event: event(`e${i}`) });
  return service;
}

// An append costs the same whatever the length: compare the two lines.
test('append', async ({ bench }) => {
  for (const length of [10, 10_000]) {
    const service = await sessionOf(length);
    let count = 0;
    await bench(`to a session of ${length} events`, async () => {
      await service.appendEvent({ session: ref, event: event(`more${count++}`) });
    }).run();
  }
});
