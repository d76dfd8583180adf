import * as core from '@thole/core';
import * as memServices from '@thole/mem-services';
import * as runner from '@thole/runner';
import * as tools from '@thole/tools';
import { describe, expect, expectTypeOf, it } from 'vitest';
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

  // With pnpm, a program with only `thole` cannot import another package. TypeScript then writes no declaration for
  // `export const recover = () => runner.recover({})`, unless `thole` exports the type.
  it('names the types of what its classes, contexts and functions return', () => {
    expectTypeOf<thole.Runner['recover']>().returns.toExtend<AsyncIterable<thole.RecoveryResult>>();
    expectTypeOf<thole.RecoveryResult>().toExtend<thole.RecoveredInvocation>();
    expectTypeOf<thole.Runner['compact']>().returns.resolves.toEqualTypeOf<thole.CompactionResult[]>();
    expectTypeOf<thole.Runner['compact']>().parameter(0).toEqualTypeOf<thole.CompactRequest>();
    expectTypeOf<thole.Runner['rewind']>().parameter(0).toEqualTypeOf<thole.RewindRequest>();
    expectTypeOf<NonNullable<thole.LlmAgent<number>['outputSchema']>>().toEqualTypeOf<thole.ReadSchema<number>>();
    expectTypeOf<thole.Agent['beforeAgentCallback']>().toEqualTypeOf<
      thole.OneOrMany<thole.AgentCallback> | undefined
    >();
    expectTypeOf<thole.Interrupt['kind']>().toEqualTypeOf<thole.InterruptKind>();
    expectTypeOf<thole.Runtime['tracer']>().toEqualTypeOf<thole.Tracer>();
    expectTypeOf<thole.CallbackContext['span']>().toEqualTypeOf<thole.Span>();
    expectTypeOf<thole.ReadonlyContext['state']>().toEqualTypeOf<thole.ReadonlyState>();
    expectTypeOf<thole.InvocationContext['tree']>().toEqualTypeOf<thole.AgentTree>();
    expectTypeOf<thole.ToolContext['toolConfirmation']>().toEqualTypeOf<thole.ToolConfirmation | undefined>();
    expectTypeOf<thole.ToolContext['requestCredential']>().returns.resolves.toEqualTypeOf<thole.AuthCredential>();
    expectTypeOf<thole.MemoryService['searchMemory']>().returns.resolves.toEqualTypeOf<thole.SearchMemoryResponse>();
    const schema: thole.StandardSchema<unknown, { city: string }> = thole.jsonSchema<{ city: string }>({
      type: 'object',
    });
    expect(schema['~standard'].vendor).toBe('thole');
  });
});
