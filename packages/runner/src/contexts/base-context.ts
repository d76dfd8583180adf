import { StatePrefix, TholeError } from '@thole/core';
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
  Optional,
  Part,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Span,
  State,
} from '@thole/core';
import { invalidInput, silentSpan } from '@thole/core/kit';
import type { RunTask } from '../invocation/run-task.ts';
import type { ChildCall } from '../runner/runner-deps.ts';
import { inMemorySpan } from '../traces/memory-span.ts';
import type { TracedMemoryCall } from '../traces/memory-span.ts';

/** Base class of all contexts of a run: session, artifacts and memory. */
export abstract class BaseContext<T = unknown> implements CallbackContext<T> {
  readonly agentName: string;
  protected readonly task: RunTask;
  /** Undefined if nothing is recorded. */
  readonly ownSpan: Span | undefined;

  constructor(task: RunTask, agentName: string, span: Span | undefined) {
    this.task = task;
    this.agentName = agentName;
    this.ownSpan = span;
  }

  abstract get state(): State;
  /** Adds the version of a saved artifact to the next event. */
  protected abstract addArtifactVersion(filename: string, version: number): void;
  /** Throws `CONTEXT_CLOSED` if the call or run of this context has ended. */
  protected abstract assertOpen(): void;

  get invocationId(): string {
    return this.task.invocationId;
  }
  get appName(): string {
    return this.task.session.ref.appName;
  }
  get userId(): string {
    return this.task.session.ref.userId;
  }
  get sessionId(): string {
    return this.task.session.ref.sessionId;
  }
  get userContent(): Content {
    return this.task.userContent;
  }
  get history(): EventLog {
    return this.task.session.log;
  }
  get signal(): AbortSignal {
    return this.task.signal;
  }
  get runtime(): Runtime {
    return this.task.runner.runtime;
  }
  get span(): Span {
    return this.ownSpan ?? silentSpan;
  }
  get resumed(): boolean {
    return this.task.progress !== undefined;
  }
  get deps(): T {
    return this.task.request.deps as T;
  }

  async saveArtifact(filename: string, artifact: Part, customMetadata?: { [key: string]: Json }): Promise<number> {
    this.assertOpen();
    const request = {
      ...this.task.artifactRef,
      filename,
      artifact,
      ...(customMetadata && { customMetadata }),
      signal: this.signal,
    };
    const version = await this.#artifacts().saveArtifact(request);
    this.addArtifactVersion(filename, version);
    return version;
  }

  loadArtifact(filename: string, version?: number): Promise<Part | undefined> {
    return this.#artifacts().loadArtifact({ ...this.task.artifactRef, filename, version, signal: this.signal });
  }

  listArtifacts(): Promise<string[]> {
    return this.#artifacts().listArtifactKeys({ ...this.task.artifactRef, signal: this.signal });
  }

  async deleteArtifact(filename: string): Promise<void> {
    this.assertOpen();
    await this.#artifacts().deleteArtifact({ ...this.task.artifactRef, filename, signal: this.signal });
  }

  async addSessionToMemory(): Promise<void> {
    this.assertOpen();
    const memory = this.#memory();
    await this.#traced({ operation: 'upsert_memory' }, () =>
      memory.addSessionToMemory(this.task.session.toSession(), { signal: this.signal }),
    );
  }

  async addEventsToMemory(events: readonly Event[]): Promise<void> {
    this.assertOpen();
    const memory = this.#memory();
    if (!memory.addEventsToMemory) throw memoryMethodMissing('addEventsToMemory');
    await this.#traced({ operation: 'upsert_memory' }, () =>
      memory.addEventsToMemory!({ ...this.task.session.ref, events, signal: this.signal }),
    );
  }

  async addMemory(content: string | Content, p: Optional<Omit<NewMemory, 'content'>> = {}): Promise<MemoryEntry> {
    this.assertOpen();
    const memory = this.#memory();
    if (!memory.addMemory) throw memoryMethodMissing('addMemory');
    const entry: NewMemory = {
      ...p,
      kind: p.kind ?? 'note',
      author: p.author ?? 'user',
      timestamp: p.timestamp ?? this.runtime.now(),
      sessionId: p.sessionId ?? this.sessionId,
      content: typeof content === 'string' ? { role: 'user', parts: [{ text: content }] } : content,
    };
    const { appName, userId, signal } = this;
    // An entry with an id replaces the entry with the same id.
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
    if (!memory.deleteMemory) throw memoryMethodMissing('deleteMemory');
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
      async () => {
        const response = await memory.searchMemory({ ...p, appName, userId, query, signal });
        if (Array.isArray(response?.memories)) return response;
        throw invalidInput(
          'The result of searchMemory of the memory service',
          'an object with a list memories',
          response,
        );
      },
    );
  }

  protected startChild(p: ChildRun, call?: ChildCall): AsyncIterable<Event> {
    this.assertOpen();
    this.task.assertMayBegin();
    const parentState = this.state.toRecord();
    for (const key of Object.keys(parentState)) if (key.startsWith(StatePrefix.TEMP)) delete parentState[key];
    return this.task.runner.runChild(this.task, {
      ...p,
      parentState,
      parentSpan: this.ownSpan,
      signal: this.signal,
      call,
    });
  }

  #traced<T>(call: Omit<TracedMemoryCall<T>, 'agentName' | 'parent'>, work: () => Promise<T>): Promise<T> {
    return inMemorySpan(this.task.trace, { ...call, agentName: this.agentName, parent: this.ownSpan }, work);
  }

  #artifacts(): ArtifactService {
    const service = this.task.runner.artifactService;
    if (!service) throw new TholeError('ARTIFACT_NOT_CONFIGURED', 'The runner has no artifactService.');
    return service;
  }

  #memory(): MemoryService {
    const service = this.task.runner.memoryService;
    if (!service) throw new TholeError('MEMORY_NOT_CONFIGURED', 'The runner has no memoryService.');
    return service;
  }
}

function memoryMethodMissing(method: string): TholeError {
  return new TholeError('MEMORY_NOT_CONFIGURED', `The runner's memoryService does not have ${method}().`);
}
