import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Manifest {
  scripts: Record<string, string>;
}

it('keeps the root at no more than twelve scripts', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(12);
});

it('takes packages from their sources, not from dist', () => {
  expect(import.meta.resolve('@thole/mem-services/file')).toMatch(/\/src\/file\/index\.ts$/);
});
