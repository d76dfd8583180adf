import { appendFileSync } from 'node:fs';
import { describe, expect, inject } from 'vitest';
import './provided.ts';
import type { ServerKind } from './server-kind.ts';

/**
 * A suite that needs a server of this kind: the shared one, whose URL it is handed, or its own, since a kind that is
 * shared can be started. Without one the suite is skipped and counted.
 */
export function describeWith(kind: ServerKind, name: string, suite: (url: string) => void): void {
  const { [kind]: url, skipped } = inject('servers');
  if (url === undefined) appendFileSync(skipped, `${kind} ${expect.getState().testPath}\n`);
  describe.skipIf(url === undefined)(name, () => suite(url ?? ''));
}
