import { InMemoryVectorStore } from '@thole/mem-services';
import { register, vectorStoreCases } from '@thole/testing';
import { describe, it } from 'vitest';

// `pnpm check` runs the suite with the default options.
const others = [
  { precision: 'int8', webAssembly: false },
  { precision: 'float32', webAssembly: true },
  { precision: 'float32', webAssembly: false },
] as const;

for (const { precision, webAssembly } of others) {
  register({ describe, it }, vectorStoreCases, {
    name: `InMemoryVectorStore (${precision}, ${webAssembly ? 'WebAssembly' : 'plain JavaScript'})`,
    claims: ['has'],
    create: () => new InMemoryVectorStore({ precision, webAssembly }),
  });
}
