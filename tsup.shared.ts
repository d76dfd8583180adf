import type { Options } from 'tsup';

/** JavaScript only: the types come from `tsc -p tsconfig.build.json`. A subpath is one more entry, named by its file. */
export function library(...subpaths: string[]): Options {
  const entry = ['src/index.ts', ...subpaths];
  // tsup takes the `node:` off imports, and node:sqlite has no other name.
  const removeNodeProtocol = false;
  return {
    ...{ entry, format: 'esm', target: 'node22', dts: false, sourcemap: true, clean: true, removeNodeProtocol },
    plugins: [{ name: 'class-names', renderChunk: (code) => ({ code: withClassNames(code) }) }],
  };
}

/**
 * Returns the code with classes named as in the source. esbuild writes a class that mentions itself as
 * `var Gemini = class _Gemini`, and `Gemini.name` would be `_Gemini`. Its option `keepNames` would wrap every function.
 */
function withClassNames(code: string): string {
  let named = code;
  for (const [, name] of code.matchAll(/^var (\w+) = class _\1\b/gm)) {
    named = named.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name!);
  }
  return named;
}
