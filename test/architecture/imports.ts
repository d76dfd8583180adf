import { dirname, posix } from 'node:path';
import { read } from './workspace.ts';

export interface Import {
  file: string;
  specifier: string;
  /** `import type` and `export type … from`: gone in the JavaScript. */
  typeOnly: boolean;
}

const strings = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/.source;
const commentsOrStrings = new RegExp(`\\/\\*[\\s\\S]*?\\*\\/|\\/\\/[^\\n]*|${strings}`, 'g');
const clause = /\b(?:import|export)\s+(type\s+(?!from\b))?[\w\s{},*$]*?\s?from\s*['"]([^'"\n]+)['"]/g;
const bareOrCalled = /\bimport\s*\(?\s*['"]([^'"\n]+)['"]/g;

/** The text of a file without its comments. */
export function codeOf(file: string): string {
  return read(file).replace(commentsOrStrings, (found) => (found.startsWith('/') ? ' ' : found));
}

/** The text of a file without its comments and with its strings emptied. */
export function bareCodeOf(file: string): string {
  return read(file).replace(commentsOrStrings, (found) => (found.startsWith('/') ? ' ' : "''"));
}

/** Every import of a file: static, for side effects alone, dynamic, and in a type's place. */
export function importsOf(file: string): Import[] {
  const code = codeOf(file);
  const found = [...code.matchAll(clause)].map(([, type, specifier]) => ({ specifier: specifier!, typeOnly: !!type }));
  for (const [, specifier] of code.matchAll(bareOrCalled)) found.push({ specifier: specifier!, typeOnly: false });
  return found.map((each) => ({ file, ...each }));
}

/** The file that a relative import means, relative to the root; undefined for a package. */
export function targetOf({ file, specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(dirname(file), specifier) : undefined;
}

/** `zod/v4` is of the package `zod`, `@thole/core/x` of `@thole/core`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
