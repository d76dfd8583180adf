import { dirname, posix } from 'node:path';
import { read } from './workspace.ts';

export interface Import {
  file: string;
  specifier: string;
  /** True for `import type` and `export type … from`, which the JavaScript does not contain. */
  typeOnly: boolean;
}

const strings = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/.source;
const commentsOrStrings = new RegExp(`\\/\\*[\\s\\S]*?\\*\\/|\\/\\/[^\\n]*|${strings}`, 'g');
const clause = /\b(?:import|export)\s+(type\s+(?!from\b))?[\w\s{},*$]*?\s?from\s*['"]([^'"\n]+)['"]/g;
const bareOrCalled = /\bimport\s*\(?\s*['"]([^'"\n]+)['"]/g;

/** Returns the text of a file without its comments. */
export function codeOf(file: string): string {
  return read(file).replace(commentsOrStrings, (found) => (found.startsWith('/') ? ' ' : found));
}

/** Returns the text of a file without its comments and with empty strings. */
export function bareCodeOf(file: string): string {
  return read(file).replace(commentsOrStrings, (found) => (found.startsWith('/') ? ' ' : "''"));
}

/** Returns every import of a file: static, for side effects only, dynamic, and in types. */
export function importsOf(file: string): Import[] {
  const code = codeOf(file);
  const found = [...code.matchAll(clause)].map(([, type, specifier]) => ({ specifier: specifier!, typeOnly: !!type }));
  for (const [, specifier] of code.matchAll(bareOrCalled)) found.push({ specifier: specifier!, typeOnly: false });
  return found.map((each) => ({ file, ...each }));
}

/** Returns the path, relative to the root, of a file that is imported by a relative path. Undefined for a package. */
export function targetOf({ file, specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(dirname(file), specifier) : undefined;
}

/** Returns the package of a specifier: `zod` for `zod/v4`, `@thole/core` for `@thole/core/x`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
