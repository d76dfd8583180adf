import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { InMemoryMemoryService } from '@thole/mem-services';
import { RedisMemoryService, RedisMemoryStore } from '@thole/redis-services';
import { compareMemorySearches, writeRandomMemories } from '@thole/testing';
import { afterAll, expect, it } from 'vitest';
import { describeWith, rounds } from '../../../../test/servers/index.ts';
import { clientTo } from '../support/redis-clients.ts';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

const alice = { appName: 'hotel', userId: 'alice' };
const user = { appName: 'app', userId: 'u' };

function startProcess(file: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
  const script = fileURLToPath(new URL(`../processes/${file}`, import.meta.url));
  const flags = [...packageFlags];
  return spawn(process.execPath, [...flags, script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describeWith('redis', 'Memory of several processes', (url) => {
  const client = clientTo(url);
  afterAll(() => client.quit());

  it(
    'is found in the order of InMemoryMemoryService, also during other writes (contract 32)',
    { timeout: 600_000 },
    async () => {
      const options = { keyPrefix: `between/${process.pid}/`, timeoutMs: 300_000 };
      const service = new RedisMemoryService(client, options);
      const reference = new InMemoryMemoryService();
      const changes = { ...alice, seed: 1, turns: 3_000, changes: 60 };
      for (const each of [service, reference]) await writeRandomMemories(each, changes);
      await compareMemorySearches(service, reference, { ...alice, seed: 1 });
      const writer = startProcess('write-memories.ts', url, options.keyPrefix, '2', '800', '120');
      await once(writer.stdout, 'data');
      let searches = 0;
      for (; writer.exitCode === null; searches++) {
        await service.searchMemory({ ...alice, query: 'pizza in the garden', limit: 5 });
        await sleep(1);
      }
      expect(writer.exitCode).toBe(0);
      expect(searches).toBeGreaterThan(1);
      await writeRandomMemories(reference, { ...alice, seed: 2, turns: 800, changes: 120 });
      await compareMemorySearches(service, reference, { ...alice, seed: 2 });
      // A new service that has read nothing yet returns the same results.
      await compareMemorySearches(new RedisMemoryService(client, options), reference, { ...alice, seed: 3 });
    },
  );

  it(
    'keeps acknowledged puts and removals, and no partial put, if a process is killed (contract 31)',
    { timeout: rounds(600_000, 1_800_000) },
    async () => {
      const options = { keyPrefix: `killed-memory/${process.pid}/`, timeoutMs: 300_000 };
      const store = new RedisMemoryStore(client, options);
      const [put, removed] = [new Set<string>(), new Set<string>()];
      for (let round = 0; round < rounds(3, 100); round++) {
        const child = startProcess('put-memories.ts', url, options.keyPrefix, `p${round}`);
        let text = '';
        for await (const chunk of child.stdout) {
          text += String(chunk);
          if (text.length > 200 + round * 31) child.kill('SIGKILL');
        }
        for (const line of text.split('\n').slice(0, -1)) (line.startsWith('+') ? put : removed).add(line.slice(1));
        const { changes, removals, more } = await store.since(user, 0, 1_000_000);
        const present = new Set(changes.flatMap((each) => ('removed' in each ? [] : each.entry.id)));
        const tombstones = new Set(changes.flatMap((each) => ('removed' in each ? each.removed : [])));
        expect([more, removals, changes.length]).toEqual([false, tombstones.size, present.size + tombstones.size]);
        expect([...put].filter((id) => !present.has(id) && !tombstones.has(id))).toEqual([]);
        expect([...removed].filter((id) => !tombstones.has(id))).toEqual([]);
        // Both entries of a put or none; at most one removal of each round was not acknowledged.
        const partners = [...present, ...tombstones]
          .filter((id) => id.endsWith('a'))
          .map((id) => id.replace(/a$/, 'b'));
        expect(partners.filter((id) => !present.has(id))).toEqual([]);
        expect(tombstones.size - removed.size).toBeLessThanOrEqual(round + 1);
      }
      expect(put.size).toBeGreaterThan(5);
    },
  );
});
