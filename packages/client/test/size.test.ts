import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

interface Bundler {
  buildSync(options: object): { outputFiles: { contents: Uint8Array }[]; metafile: { inputs: object } };
}

// tsup's own, which nothing else brings.
const tsup = realpathSync(join(import.meta.dirname, '../../../node_modules/tsup/package.json'));
const { buildSync } = createRequire(tsup)('esbuild') as Bundler;

it('is under 6 kB, minified and gzipped, with all that it imports: itself', () => {
  const { outputFiles, metafile } = buildSync({
    ...{ entryPoints: [join(import.meta.dirname, '../src/index.ts')], bundle: true, minify: true, write: false },
    ...{ format: 'esm', target: 'es2022', platform: 'browser', metafile: true },
  });
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(6000);
  expect(Object.keys(metafile.inputs).filter((file) => !file.includes('packages/client/src/'))).toEqual([]);
});
