import { createHash } from 'node:crypto';

/** Longer ones than this stand under their hash, so that every file system takes them. */
const LONGEST = 120;

/**
 * A name as one component of a path. Lower case, digits, `-` and `_` stay; every other byte is escaped. So two names never
 * share a component, also where the file system folds case or normalises Unicode, and none leads out of its folder. The
 * prefix keeps clear of names that a system reserves (`con`, `nul`).
 */
export function toPathComponent(name: string): string {
  let escaped = 'n_';
  for (const byte of new TextEncoder().encode(name)) {
    const character = String.fromCharCode(byte);
    escaped += /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped.length <= LONGEST ? escaped : `h_${createHash('sha256').update(name).digest('hex')}`;
}

/** The name again; undefined for one that stands under its hash. */
export function fromPathComponent(component: string): string | undefined {
  return component.startsWith('n_') ? decodeURIComponent(component.slice(2)) : undefined;
}
