import { TholeError } from '@thole/core';
import type {
  ArtifactService,
  CallbackContext,
  ChildRun,
  Content,
  Event,
  EventLog,
  Json,
  MemoryEntry,
  MemoryService,
  NewMemory,
  Part,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Span,
  State,
} from '@thole/core';
import { StatePrefix } from '@thole/core';
import { silentSpan } from '@thole/core/kit';
import { inMemorySpan } from '../traces/memory-span.ts';
import type { TracedMemoryCall } from '../traces/memory-span.ts';
import type { RunScope } from '../invocation/run-scope.ts';

/** What every context of a run can do: reading, state, artifacts, memory. */
export abstract class BaseContext<T = unknown> implements CallbackContext<T> {
  readonly agentName: string;
  protected readonly run: RunScope;
  /** Undefined where nobody records. */
  protected readonly ownSpan: Span | undefined;

  constructor(run: RunScope, agentName: string, span: Span | undefined) {
    this.run = run;
    this.agentName = agentName;
    this.ownSpan = span;
  }

  abstract get state(): State;
  /** Notes a saved artifact for the event it belongs to. */
  protected abstract saved(filename: string, version: number): void;
  /** Throws `CONTEXT_CLOSED` when this context is no longer in use. */
  protected abstract assertOpen(): void;

  get invocationId(): string {
    return this.run.invocationId;
  }
  get appName(): string {
    return this.run.live.ref.appName;
  }
  get userId(): string {
    return this.run.live.ref.userId;
  }
  get sessionId(): string {
    return this.run.live.ref.sessionId;
  }
  get userContent(): Content {
    return this.run.userContent;
  }
  get history(): EventLog {
    return this.run.live.log;
  }
  get signal(): AbortSignal {
    return this.run.signal;
  }
  get runtime(): Runtime {
    return this.run.host.runtime;
  }
  get span(): Span {
    return this.ownSpan ?? silentSpan;
  }
  get deps(): T {
    return this.run.deps as T;
  }

  async saveArtifact(filename: string, artifact: Part, customMetadata?: { [key: string]: Json }): Promise<number> {
    this.assertOpen();
    const p = {
      ...this.run.host.artifactRef,
      filename,
      artifact,
      ...(customMetadata && { customMetadata }),
      signal: this.signal,
    };
    const version = await this.#artifacts().saveArtifact(p);
    this.saved(filename, version);
    return version;
  }

  loadArtifact(filename: string, version?: number): Promise<Part | undefined> {
    return this.#artifacts().loadArtifact({ ...this.run.host.artifactRef, filename, version, signal: this.signal });
  }

  listArtifacts(): Promise<string[]> {
    return this.#artifacts().listArtifactKeys({ ...this.run.host.artifactRef, signal: this.signal });
  }

  async deleteArtifact(filename: string): Promise<void> {
    this.assertOpen();
    await this.#artifacts().deleteArtifact({ ...this.run.host.artifactRef, filename, signal: this.signal });
  }

  async addSessionToMemory(): Promise<void> {
    this.assertOpen();
    const memory = this.#memory();
    await this.#traced({ operation: 'upsert_memory' }, () =>
      memory.addSessionToMemory(this.run.live.toSession(), { signal: this.signal }),
    );
  }

  async addEventsToMemory(events: readonly Event[]): Promise<void> {
    this.assertOpen();
    const memory = this.#memory();
    if (!memory.addEventsToMemory) throw lacking('addEventsToMemory');
    await this.#traced({ operation: 'upsert_memory' }, () =>
      memory.addEventsToMemory!({ ...this.run.live.ref, events, signal: this.signal }),
    );
  }

  async addMemory(content: string | Content, p: Partial<Omit<NewMemory, 'content'>> = {}): Promise<MemoryEntry> {
    this.assertOpen();
    const memory = this.#memory();
    if (!memory.addMemory) throw lacking('addMemory');
    const entry: NewMemory = {
      kind: 'note',
      author: 'user',
      timestamp: this.runtime.now(),
      sessionId: this.sessionId,
      ...p,
      content: typeof content === 'string' ? { role: 'user', parts: [{ text: content }] } : content,
    };
    const { appName, userId, signal } = this;
    // An entry of the same id is replaced.
    const operation = entry.id === undefined ? 'create_memory' : 'upsert_memory';
    const [added] = await this.#traced(
      { operation, id: entry.id, count: (added) => added.length, records: (added) => added },
      () => memory.addMemory!({ appName, userId, memories: [entry], signal }),
    );
    return added!;
  }

  async deleteMemory(ids: readonly string[]): Promise<number> {
    this.assertOpen();
    const memory = this.#memory();
    if (!memory.deleteMemory) throw lacking('deleteMemory');
    const { appName, userId, signal } = this;
    const id = ids.length === 1 ? ids[0] : undefined;
    return this.#traced({ operation: 'delete_memory', id, count: (deleted) => deleted }, () =>
      memory.deleteMemory!({ appName, userId, ids, signal }),
    );
  }

  async searchMemory(
    query: string,
    p: Pick<SearchMemoryRequest, 'limit' | 'filter' | 'minScore' | 'minRelevance' | 'timeZone'> = {},
  ): Promise<SearchMemoryResponse> {
    const memory = this.#memory();
    const { appName, userId, signal } = this;
    return this.#traced(
      {
        operation: 'search_memory',
        query,
        count: ({ memories }) => memories.length,
        records: ({ memories }) => memories,
      },
      () => memory.searchMemory({ ...p, appName, userId, query, signal }),
    );
  }

  protected childOf(p: ChildRun): AsyncIterable<Event> {
    this.assertOpen();
    this.run.assertMayBegin();
    const parentState = this.state.toRecord();
    for (const key of Object.keys(parentState)) if (key.startsWith(StatePrefix.TEMP)) delete parentState[key];
    return this.run.runChild({ ...p, parentState, parentSpan: this.ownSpan, signal: this.signal });
  }

  #traced<T>(call: Omit<TracedMemoryCall<T>, 'agentName' | 'parent'>, work: () => Promise<T>): Promise<T> {
    return inMemorySpan(this.run.trace, { ...call, agentName: this.agentName, parent: this.ownSpan }, work);
  }

  #artifacts(): ArtifactService {
    const service = this.run.host.house.artifactService;
    if (!service) throw new TholeError('ARTIFACT_NOT_CONFIGURED', 'The runner has no artifactService.');
    return service;
  }

  #memory(): MemoryService {
    const service = this.run.host.house.memoryService;
    if (!service) throw new TholeError('MEMORY_NOT_CONFIGURED', 'The runner has no memoryService.');
    return service;
  }
}

function lacking(method: string): TholeError {
  return new TholeError('MEMORY_NOT_CONFIGURED', `The runner's memoryService has no ${method}.`);
}
