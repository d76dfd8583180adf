// Puts entries one by one and removes every third one until it is killed. Prints acknowledged ids: `+id` and `-id`.
import { flushCompileCache } from 'node:module';
import type { MemoryEntry } from '@thole/core';
import { SqlMemoryStore } from '@thole/sql-services';

const [dbUrl = '', name = ''] = process.argv.slice(2);
const store = new SqlMemoryStore({ dbUrl });
const user = { appName: 'app', userId: 'u' };
for (let n = 0; ; n++) {
  const entries = ['a', 'b'].map((part): MemoryEntry => {
    return { id: `${name}-${n}${part}`, kind: 'note', content: { parts: [{ text: 'x'.repeat(300) }] } };
  });
  await store.put(user, entries, 'ifAbsent');
  // Saves the compile cache for the next process now: this process will be killed.
  if (n === 0) flushCompileCache();
  await print(`+${entries[0]!.id}\n+${entries[1]!.id}\n`);
  if (n % 3 !== 2) continue;
  const { id } = entries[0]!;
  await store.remove(user, { ids: [id] }, 0);
  await print(`-${id}\n`);
}

/** Waits until the text is in the pipe, because a killed process loses text that it has not written yet. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}
