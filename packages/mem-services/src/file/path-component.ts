import { createHash } from 'node:crypto';

/** Maximum length of an escaped name. Longer names are hashed, because file systems limit the length of names. */
const MAX_LENGTH = 120;

/**
 * Returns a name as one component of a path. Lower-case letters, digits, `-` and `_` are kept; every other byte is escaped. So
 * two names never have the same component, also if the file system ignores case or normalises Unicode. No component points
 * outside its folder. The prefix avoids names that an operating system reserves (`con`, `nul`).
 */
export function toPathComponent(name: string): string {
  let escaped = 'n_';
  for (const byte of new TextEncoder().encode(name)) {
    const character = String.fromCharCode(byte);
    escaped += /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped.length <= MAX_LENGTH ? escaped : `h_${createHash('sha256').update(name).digest('hex')}`;
}

/** Returns the name of a component, or undefined if the component is a hash. */
export function fromPathComponent(component: string): string | undefined {
  return component.startsWith('n_') ? decodeURIComponent(component.slice(2)) : undefined;
}

/** True for a component that `toPathComponent` returns. A file manager adds others, such as `.DS_Store` or `Thumbs.db`. */
export function isPathComponent(name: string): boolean {
  return name.startsWith('n_') || name.startsWith('h_');
}
