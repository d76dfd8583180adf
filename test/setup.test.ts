import { expect, it } from 'vitest';

it('takes packages from their sources, not from dist', () => {
  expect(import.meta.resolve('@thole/mem-services/file')).toMatch(/\/src\/file\/index\.ts$/);
});
