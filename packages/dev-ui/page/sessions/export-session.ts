import type { SessionRef } from '@thole/core';
import { explainError } from '../parts/explain-error.ts';
import { client } from '../state/client.ts';
import { toast } from '../state/toast.ts';

/** Saves a session as a JSON file that `importSession` reads. */
export async function exportSession(ref: SessionRef, name: string): Promise<void> {
  try {
    const file = await client.sessions.export(ref);
    const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: `${fileName(name)}.session.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    toast(`Not exported. ${explainError(error).sentence}`, { kind: 'bad' });
  }
}

const fileName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '') || 'session';
