import nodeModule, { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { ModuleLoader } from '../../src/agents/module-loader.ts';

it('ModuleLoader says in Bun that agents need Node', () => {
  const { registerHooks } = nodeModule;
  const setHooks = (value: unknown): void => {
    Object.assign(nodeModule, { registerHooks: value });
    syncBuiltinESMExports();
  };
  onTestFinished(() => setHooks(registerHooks));
  setHooks(undefined);
  const create = (): unknown => new ModuleLoader({ root: '/agents', importModule: async () => ({}) });
  expect(create).toThrow('Agents are loaded with Node 22.18 or newer, but this is another runtime, such as Bun.');
});
