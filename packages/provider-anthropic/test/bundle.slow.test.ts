import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

interface Bundler {
  buildSync(options: object): unknown;
}

const root = join(import.meta.dirname, '..');
// The esbuild of tsup: no other package has one.
const tsup = realpathSync(join(root, '../../node_modules/tsup/package.json'));
const { buildSync } = createRequire(tsup)('esbuild') as Bundler;

/** Returns a project that has this package, but not the optional packages for Bedrock and Vertex AI. */
function projectWithoutClouds(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thole-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, 'node_modules/@thole/provider-anthropic');
  mkdirSync(own, { recursive: true });
  cpSync(join(root, 'src'), join(own, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(own, 'package.json'));
  for (const name of ['@thole/core', '@anthropic-ai/sdk']) {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
  }
  return folder;
}

describe('Anthropic in a Worker', () => {
  it('is bundled without Node and without the packages for Bedrock and Vertex AI', async () => {
    const folder = projectWithoutClouds();
    writeFileSync(
      join(folder, 'worker.mjs'),
      `import { Anthropic } from '@thole/provider-anthropic';
      const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn', usage: {} };
      const model = new Anthropic({ model: 'claude-x', apiKey: 'k', fetch: async () => Response.json(answer) });
      const request = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], config: {} };
      export const responses = Array.fromAsync(model.generateContentAsync(request, { stream: false }));`,
    );
    const outfile = join(folder, 'bundle.mjs');
    buildSync({
      ...{ entryPoints: [join(folder, 'worker.mjs')], outfile, bundle: true, format: 'esm', platform: 'browser' },
      ...{ conditions: ['@thole/source', 'workerd', 'worker', 'browser'], logLevel: 'silent' },
    });
    const { responses } = (await import(outfile)) as { responses: Promise<object[]> };
    expect(await responses).toMatchObject([{ content: { parts: [{ text: 'Hello.' }] } }]);
  });
});
