import { TholeError } from '@thole/core';
import { InMemoryVectorStore } from '@thole/mem-services';
import { register, vectorStoreCases } from '@thole/testing';
import { describe, expect, it } from 'vitest';

register({ describe, it }, vectorStoreCases, {
  name: 'InMemoryVectorStore (int8, WebAssembly)',
  claims: ['has'],
  create: () => new InMemoryVectorStore({ precision: 'int8', webAssembly: true }),
});

describe('InMemoryVectorStore', () => {
  it('throws for an unknown precision and for unknown options', () => {
    for (const options of [{ precision: 'int4' }, { precison: 'int8' }]) {
      expect(() => new InMemoryVectorStore(options as object)).toSatisfy((make: () => unknown) => {
        try {
          make();
          return false;
        } catch (error) {
          return TholeError.is(error, 'INVALID_INPUT');
        }
      });
    }
  });
});
