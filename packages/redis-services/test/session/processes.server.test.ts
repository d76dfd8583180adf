import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RedisSessionService } from '@thole/redis-services';
import { expect, it } from 'vitest';
import { describeWith, rounds } from '../../../../test/servers/index.ts';
import { ref, storedIds } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';
import { packageFlags } from '../../../../test/servers/package-flags.ts';

const script = fileURLToPath(new URL('../processes/append-until-killed.ts', import.meta.url));
const many = fileURLToPath(new URL('../processes/append-many.ts', import.meta.url));

describeWith('redis', 'Killed writers', (url) => {
  it('leave every acknowledged event once with its state, and no partial write (contract 7)', async () => {
    const client = clientTo(url);
    const keyPrefix = `killed/${process.pid}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    await service.createSession(ref);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds(3, 100); round++) {
      const acknowledgedNow = await Promise.all(
        ['a', 'b'].map(async (name, i) => {
          const args = [...packageFlags, script, url, keyPrefix, `${name}${round}`];
          const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
          let text = '';
          for await (const chunk of child.stdout) {
            text += String(chunk);
            const lines = text.split('\n').length - 1;
            if (lines >= 20 + round * 7 + i * 5) child.kill('SIGKILL');
          }
          return text.split('\n').slice(0, -1);
        }),
      );
      acknowledged.push(...acknowledgedNow.flat());
    }
    const stored = await storedIds(service);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
    // At most one event of each process is stored without an acknowledgement.
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(2 * rounds(3, 100));
    await client.quit();
  });
});

describeWith('redis', 'Concurrent writers', (url) => {
  it('lose, repeat and reorder no event and no state of any scope (contracts 6, 8)', async () => {
    const client = clientTo(url);
    const keyPrefix = `many/${process.pid}/`;
    const service = new RedisSessionService(client, { keyPrefix });
    await service.createSession(ref);
    const [processes, tasks, each] = [rounds(4, 32), rounds(16, 64), 5];
    const ends = await Promise.all(
      Array.from({ length: processes }, async (_, i) => {
        const args = [...packageFlags, many, url, keyPrefix, `p${i}`, String(tasks), String(each)];
        return once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
      }),
    );
    expect(ends.map(([code]) => code as number)).toEqual(Array.from({ length: processes }, () => 0));
    const { events, state } = (await service.getSession(ref))!;
    const total = processes * tasks * each;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(total);
    // The events of a task are in the task's order, and the last event wrote last.
    for (let task = 0; task < tasks; task++) {
      const taskIds = events.map(({ id }) => id).filter((id) => id.startsWith(`p0-${task}-`));
      expect(taskIds).toEqual(Array.from({ length: each }, (_, n) => `p0-${task}-${n}`));
    }
    const keys = Object.keys(state);
    const count = (start: string): number => keys.filter((key) => key.startsWith(start)).length;
    expect([count('user:'), count('app:'), count('p')]).toEqual([total, total + 1, processes * tasks]);
    expect(state['app:last']).toBe(events.at(-1)!.id);
    await client.quit();
  });
});
