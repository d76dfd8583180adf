import { appendFileSync } from 'node:fs';
import { describe, expect, inject } from 'vitest';
import './provided.ts';
import type { ServerKind } from './server-kind.ts';

/**
 * Defines a suite that needs a server of this kind. `suite` receives the URL of the shared server; its tests may also start a
 * separate server. If the server is missing, the suite is skipped, and `SkipReporter` counts its file.
 */
export function describeWith(kind: ServerKind, name: string, suite: (url: string) => void): void {
  const { [kind]: url, skipped } = inject('servers');
  if (url === undefined) appendFileSync(skipped, `${kind} ${expect.getState().testPath}\n`);
  describe.skipIf(url === undefined)(name, () => suite(url ?? ''));
}
