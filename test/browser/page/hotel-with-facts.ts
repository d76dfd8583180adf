import { InMemoryMemoryService } from '@thole/mem-services';
import { FactMemoryService } from '@thole/memory/facts';
import { says, ScriptedLlm } from '@thole/testing';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';

/** The user whose facts the hotel stores. */
export const guest = { appName: 'hotel', userId: 'user' };

const operations = (...all: object[]) => says(JSON.stringify({ operations: all }));

/**
 * Starts a hotel server that stores facts from messages. The guest lived in Porto, lives in Lisbon, and is allergic to feathers. The
 * session `march`, which mentions Porto, was deleted. The session `june` exists.
 */
export async function startHotelWithFacts(): Promise<HotelServer> {
  const factModel = new ScriptedLlm(
    operations(
      { op: 'add', text: 'Lives in Porto.', evidence: ['t1'] },
      { op: 'add', text: 'Is allergic to feathers.', evidence: ['t3'] },
    ),
    operations({ op: 'supersede', fact: 'k1', text: 'Lives in Lisbon.', evidence: ['t1'] }),
  );
  const memoryService = new FactMemoryService({ memory: new InMemoryMemoryService(), llm: factModel });
  const hotel = await startHotelServer(
    [says('Good to know.'), says('A pillow of wool, then.'), says('Congratulations.')],
    {
      memoryService,
    },
  );
  await addSession(hotel, 'march', 'I live in Porto.', 'I am allergic to feathers.');
  await hotel.client.sessions.delete({ ...guest, sessionId: 'march' });
  await addSession(hotel, 'june', 'We moved to Lisbon last week.');
  return hotel;
}

async function addSession({ client }: HotelServer, sessionId: string, ...texts: string[]): Promise<void> {
  const ref = { ...guest, sessionId };
  await client.sessions.create(ref);
  for (const text of texts) await client.runToCompletion({ ...ref, newMessage: text });
  await client.memory.saveSession(ref);
}
