import type { MemoryService } from '@thole/core';

type ListMemories = NonNullable<MemoryService['listMemories']>;

/** Properties of a memory service that wraps another one. Its callers do not see them. */
export interface WrapperTraits {
  /** Lists entries as they are stored: with the marks of turns whose facts were extracted. */
  readonly listStored?: ListMemories | undefined;
  /** Time in milliseconds in which `addEventsToMemory` makes progress. Default: the time of a service that calls no model. */
  readonly ingestMs?: number | undefined;
}

/** A registered symbol, because copies of this package must recognize it. */
const traitsKey = Symbol.for('thole.memory-wrapper-traits');

/** Returns the traits of a memory service. */
export function traitsOf(memory: MemoryService): WrapperTraits {
  return (memory as { [traitsKey]?: WrapperTraits })[traitsKey] ?? {};
}

/** Sets the traits of a service that wraps another one. */
export function setTraits(wrapper: MemoryService, traits: WrapperTraits): void {
  Object.defineProperty(wrapper, traitsKey, { value: traits });
}

/** Returns the function that lists the entries of a memory as they are stored. */
export function listStoredOf(memory: MemoryService & { listMemories: ListMemories }): ListMemories {
  return traitsOf(memory).listStored ?? ((p) => memory.listMemories(p));
}
