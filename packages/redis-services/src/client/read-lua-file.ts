import { readFileSync } from 'node:fs';

/**
 * Returns the text of a Lua file of this package; `session/append-event` names `src/session/append-event.lua`. The build replaces this
 * module by one that contains the texts of all files (see tsup.config.ts): the published package reads no files.
 */
export function readLuaFile(name: string): string {
  return readFileSync(new URL(`../${name}.lua`, import.meta.url), 'utf8');
}
