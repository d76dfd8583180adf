import type { SessionRef } from '@thole/core';
import { explainError } from '../components/explain-error.ts';
import { client } from '../state/client.ts';
import { toast } from '../state/toast.ts';
import { after } from '../state/clock.ts';

/** Saves a session as a JSON file that `importSession` reads. */
export async function exportSession(ref: SessionRef, name: string): Promise<void> {
  try {
    const file = await client.sessions.export(ref);
    const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: `${fileName(name)}.session.json` });
    link.click();
    after(10_000, () => URL.revokeObjectURL(url));
  } catch (error) {
    toast(`Not exported. ${explainError(error).sentence}`, { kind: 'bad' });
  }
}

const fileName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '') || 'session';
