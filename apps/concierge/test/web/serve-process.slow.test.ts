import { describe, expect, it } from 'vitest';
import { folderForTest } from '../folder-for-test.ts';
import { serveAsProcess } from '../serve-as-process.ts';

describe('npm start', () => {
  it('ends with 1 if the requested port is taken', async () => {
    const env = { THOLE_DATA: folderForTest() };
    const { url } = await serveAsProcess({ env });
    const second = serveAsProcess({ env, args: ['--port', new URL(url).port] });
    await expect(second).rejects.toThrow(/^It ended with 1: ! INVALID_INPUT: .* Choose another port\./);
  });
});
