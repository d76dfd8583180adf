import { context } from '@opentelemetry/api';
import type { TracedWork } from '@thole/core/kit';
import type {
  AddMemoryRequest,
  MemoryEntry,
  MemoryService,
  SearchMemoryRequest,
  SearchMemoryResponse,
} from '@thole/core';
import { isMemorySpan } from './memory-span-mark.ts';
import { tracedService } from './traced-service.ts';
import type { Describe, TracingRuntime } from './traced-service.ts';

/**
 * Returns the memory service with a span for each call outside of a run, such as calls of consolidation and deletion. For a
 * call through a context, the run creates the span. All abilities of the service stay available.
 */
export function traceMemory<S extends MemoryService>(service: S, runtime: TracingRuntime): S {
  return tracedService(service, runtime, memoryCalls);
}

/** The operation and the attributes of one call of a memory service. */
interface MemoryCall<T> {
  readonly operation: string;
  readonly id?: string | undefined;
  readonly query?: string | undefined;
  readonly count?: ((result: T) => number) | undefined;
  readonly records?: ((result: T) => readonly MemoryEntry[]) | undefined;
}

function memoryCall<P, T>(describe: (request: P) => MemoryCall<T>): Describe {
  return ((request: P, { capturesContent }): TracedWork<T> | undefined => {
    if (isMemorySpan(context.active())) return undefined;
    const { operation, id, query, count, records } = describe(request);
    return {
      name: operation,
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.memory.record.id': id,
        'gen_ai.memory.query.text': capturesContent ? query : undefined,
      },
      result: (value) => ({
        'gen_ai.memory.record.count': count?.(value),
        'gen_ai.memory.records': capturesContent && records ? JSON.stringify(records(value)) : undefined,
      }),
    };
  }) as Describe;
}

const bulkDeletion: Describe = memoryCall<unknown, number>(() => ({
  operation: 'delete_memory',
  count: (deleted) => deleted,
}));

const memoryCalls: ReadonlyMap<PropertyKey, Describe> = new Map<PropertyKey, Describe>([
  ['addSessionToMemory', memoryCall(() => ({ operation: 'upsert_memory' }))],
  ['addEventsToMemory', memoryCall(() => ({ operation: 'upsert_memory' }))],
  [
    'searchMemory',
    memoryCall<SearchMemoryRequest, SearchMemoryResponse>(({ query }) => ({
      operation: 'search_memory',
      query,
      count: ({ memories }) => memories.length,
      records: ({ memories }) => memories,
    })),
  ],
  [
    'addMemory',
    memoryCall<AddMemoryRequest, readonly MemoryEntry[]>(({ memories = [] }) => ({
      // An entry with an id replaces the entry with the same id.
      operation: memories.some(({ id }) => id !== undefined) ? 'upsert_memory' : 'create_memory',
      id: memories.length === 1 ? memories[0]!.id : undefined,
      count: (added) => added.length,
      records: (added) => added,
    })),
  ],
  [
    'updateMemory',
    memoryCall<{ id: string }, MemoryEntry | undefined>(({ id }) => ({
      operation: 'update_memory',
      id,
      count: (updated) => (updated ? 1 : 0),
      records: (updated) => (updated ? [updated] : []),
    })),
  ],
  [
    'deleteMemory',
    memoryCall<{ ids: readonly string[] }, number>(({ ids }) => ({
      operation: 'delete_memory',
      id: ids.length === 1 ? ids[0] : undefined,
      count: (deleted) => deleted,
    })),
  ],
  ['deleteSessionMemory', bulkDeletion],
  ['deleteUserMemory', bulkDeletion],
]);
