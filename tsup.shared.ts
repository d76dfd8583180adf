import { defineConfig } from 'tsup';

/** JavaScript only: the types come from `tsc -p tsconfig.build.json`. A subpath is one more entry, named by its file. */
export function library(...subpaths: string[]) {
  const entry = ['src/index.ts', ...subpaths];
  // tsup takes the `node:` off imports, and node:sqlite has no other name.
  const removeNodeProtocol = false;
  return defineConfig({
    ...{ entry, format: 'esm', target: 'node22', dts: false, sourcemap: true, clean: true, removeNodeProtocol },
  });
}
