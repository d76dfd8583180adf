import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

interface Bundler {
  buildSync(options: object): { outputFiles: { contents: Uint8Array }[]; metafile: { inputs: object } };
}

// The esbuild of tsup: no other package has one.
const tsup = realpathSync(join(import.meta.dirname, '../../../node_modules/tsup/package.json'));
const { buildSync } = createRequire(tsup)('esbuild') as Bundler;

describe('bundle of @thole/client', () => {
  it('is under 6 kB, minified and gzipped, and imports no other package', () => {
    const { outputFiles, metafile } = buildSync({
      ...{ entryPoints: [join(import.meta.dirname, '../src/index.ts')], bundle: true, minify: true, write: false },
      ...{ format: 'esm', target: 'es2022', platform: 'browser', metafile: true },
    });
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(6000);
    expect(Object.keys(metafile.inputs).filter((file) => !file.includes('packages/client/src/'))).toEqual([]);
  });
});
