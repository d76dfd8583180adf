import { textOf } from '@thole/core';
import { isPlainObject, setOwn, sha256Hex } from '@thole/core/kit';
import type { Json, JsonObject, MemoryEntry } from '@thole/core';
import { idOf } from '../client/vertex-client.ts';
import { readableText } from '../client/struct-value.ts';
import { parseSeconds } from '../client/wire-time.ts';
import { bankScopeKey } from './bank-scope.ts';
import type { BankScope } from './bank-scope.ts';

/** Key of the metadata that contains a complete entry as JSON text. */
const ENTRY_KEY = 'thole_entry';

/** Returns the body of a memory for an entry. Its fact is the entry's text; all members are in its metadata. */
export function toBankMemory(entry: MemoryEntry, scope: BankScope, now: number): JsonObject {
  const { expiresAt } = entry;
  return {
    fact: readableText(textOf(entry.content)),
    scope,
    metadata: { [ENTRY_KEY]: { stringValue: JSON.stringify(entry) } },
    // The service rejects a time in the past.
    ...(expiresAt !== undefined && expiresAt > now && { expireTime: new Date(expiresAt * 1000).toISOString() }),
  };
}

/** Returns the entry of a memory: an added entry, or a fact that the service extracted. */
export function fromBankMemory(memory: JsonObject): MemoryEntry {
  const metadata = (memory['metadata'] ?? {}) as { [key: string]: { [type: string]: Json } };
  const text = metadata[ENTRY_KEY]?.['stringValue'];
  if (typeof text === 'string') {
    const entry: unknown = JSON.parse(text);
    if (isPlainObject(entry)) return entry as unknown as MemoryEntry;
  }
  const customMetadata: JsonObject = {};
  for (const [key, value] of Object.entries(metadata)) {
    const [plain] = Object.values(value);
    if (plain !== undefined) setOwn(customMetadata, key, plain);
  }
  const topics = topicsOf(memory['topics']);
  return {
    id: idOf(memory),
    kind: 'fact',
    content: { parts: [{ text: memory['fact'] as string }] },
    timestamp: parseSeconds(memory['updateTime'] ?? memory['createTime']),
    ...(topics.length > 0 && { topics }),
    ...(Object.keys(customMetadata).length > 0 && { customMetadata }),
  };
}

function topicsOf(topics: Json | undefined): string[] {
  return ((topics ?? []) as JsonObject[]).flatMap(({ customMemoryTopicLabel, managedMemoryTopic }) => {
    const topic = customMemoryTopicLabel ?? managedMemoryTopic;
    return typeof topic === 'string' ? [topic] : [];
  });
}

/** Returns the id under which the service stores an entry with an id of the caller, which may have any characters. */
export async function memoryIdOf(scope: BankScope, entryId: string): Promise<string> {
  const digest = await sha256Hex(JSON.stringify([bankScopeKey(scope), entryId]));
  return `t${digest.slice(0, 40)}`;
}
