import * as core from '@thole/core';
import * as memServices from '@thole/mem-services';
import * as runner from '@thole/runner';
import * as tools from '@thole/tools';
import { describe, expect, it } from 'vitest';
import * as thole from '../src/index.ts';

describe('thole', () => {
  it('re-exports values of the packages unchanged', () => {
    const { InMemoryRunner, ...reexported } = thole;
    expect(InMemoryRunner.prototype).toBeInstanceOf(runner.Runner);
    expect({ ...core, ...runner, ...tools, ...memServices }).toMatchObject(reexported);
  });

  it('leaves out only the values that stores and providers need', () => {
    const names = Object.keys({ ...runner, ...tools, ...memServices });
    const left = names.filter((name) => !(name in thole)).sort();
    expect(left, 'export a new name in packages/thole/src/index.ts, or list it here').toEqual([
      'InMemoryArtifactStore',
      'InMemoryCredentialStore',
      'InMemoryMemoryStore',
      'InMemorySessionStore',
      'InMemoryVectorStore',
      'escapeMemoryText',
      'findAgentToRun',
      'readSchemaInput',
    ]);
  });
});
