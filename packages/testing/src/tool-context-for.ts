import { createEventActions, State, TholeError } from '@thole/core';
import { optionNames, rejectUnknownOptions, silentSpan } from '@thole/core/kit';
import type {
  ArtifactService,
  AuthCredential,
  Content,
  Event,
  EventLog,
  Json,
  MemoryService,
  Runtime,
  StateMap,
  ToolConfirmation,
  ToolContext,
} from '@thole/core';

/** The user and session of a call, and its services. */
export interface ToolContextOptions<Deps = unknown> {
  runtime: Runtime;
  /** Default: none; memory methods then throw `MEMORY_NOT_CONFIGURED`. */
  memoryService?: MemoryService | undefined;
  /** Default: none; artifact methods then throw `ARTIFACT_NOT_CONFIGURED`. */
  artifactService?: ArtifactService | undefined;
  /** The message that started the invocation. Default: `Hello.` */
  userContent?: string | Content | undefined;
  /** Initial state, including `temp:` keys. */
  state?: StateMap | undefined;
  /** The `temp:` values of the invocation. Contexts with the same map belong to one invocation. */
  temp?: StateMap | undefined;
  deps?: Deps | undefined;
  /** Default: a signal that is never aborted. */
  signal?: AbortSignal | undefined;
  /** Default: `app`. */
  appName?: string | undefined;
  /** Default: `user`. */
  userId?: string | undefined;
  /** Default: `session`. */
  sessionId?: string | undefined;
  /** Default: `agent`. */
  agentName?: string | undefined;
  /** Default: `invocation-1`. */
  invocationId?: string | undefined;
  /** Default: `call-1`. */
  functionCallId?: string | undefined;
  /** Default: the session id, a slash and the function call id. */
  idempotencyKey?: string | undefined;
  /** Value of `context.toolConfirmation`. Default: none. */
  toolConfirmation?: ToolConfirmation | undefined;
  /** Result of `requestInput`. Without it, `requestInput` throws. */
  input?: Json | undefined;
  /** Result of `requestCredential`. Without it, `requestCredential` throws. */
  credential?: AuthCredential | undefined;
}

const names = optionNames<ToolContextOptions>({
  runtime: true,
  memoryService: true,
  artifactService: true,
  userContent: true,
  state: true,
  temp: true,
  deps: true,
  signal: true,
  appName: true,
  userId: true,
  sessionId: true,
  agentName: true,
  invocationId: true,
  functionCallId: true,
  idempotencyKey: true,
  toolConfirmation: true,
  input: true,
  credential: true,
});

/**
 * Returns a tool context for tests without a run. State, memory and artifacts work as in a run, but no event is stored.
 * Written state is in `state`; a run moves it to `actions.stateDelta` at the end of a step. `runChild` throws.
 */
export function toolContextFor<Deps = unknown>(options: ToolContextOptions<Deps>): ToolContext<Deps> {
  rejectUnknownOptions(options, names, 'toolContextFor');
  const { runtime, memoryService, artifactService, userContent = 'Hello.', state = {}, temp = {} } = options;
  const user = { appName: options.appName ?? 'app', userId: options.userId ?? 'user' };
  const session = { ...user, sessionId: options.sessionId ?? 'session' };
  const signal = options.signal ?? new AbortController().signal;
  const actions = createEventActions();
  const functionCallId = options.functionCallId ?? 'call-1';
  const memory = (): MemoryService =>
    memoryService ?? missing('MEMORY_NOT_CONFIGURED', 'Set the option memoryService of toolContextFor.');
  const artifacts = (): ArtifactService =>
    artifactService ?? missing('ARTIFACT_NOT_CONFIGURED', 'Set the option artifactService of toolContextFor.');
  const addEvents = async (events: readonly Event[]): Promise<void> => {
    const service = memory();
    if (!service.addEventsToMemory)
      missing('MEMORY_NOT_CONFIGURED', 'The memory service has no method addEventsToMemory.');
    await service.addEventsToMemory({ ...session, events, signal });
  };
  return {
    ...session,
    invocationId: options.invocationId ?? 'invocation-1',
    agentName: options.agentName ?? 'agent',
    functionCallId,
    idempotencyKey: options.idempotencyKey ?? `${session.sessionId}/${functionCallId}`,
    userContent: typeof userContent === 'string' ? { role: 'user', parts: [{ text: userContent }] } : userContent,
    state: new State({ read: (key) => state[key], copyInto: (target) => void Object.assign(target, state) }, { temp }),
    history: noEvents,
    signal,
    runtime,
    span: silentSpan,
    deps: options.deps as Deps,
    actions,
    async saveArtifact(filename, artifact, customMetadata) {
      const version = await artifacts().saveArtifact({ ...session, filename, artifact, customMetadata, signal });
      actions.artifactDelta[filename] = version;
      return version;
    },
    loadArtifact: async (filename, version) => artifacts().loadArtifact({ ...session, filename, version, signal }),
    listArtifacts: async () => artifacts().listArtifactKeys({ ...session, signal }),
    deleteArtifact: async (filename) => artifacts().deleteArtifact({ ...session, filename, signal }),
    addSessionToMemory: () => addEvents([]),
    addEventsToMemory: addEvents,
    async addMemory(content, p = {}) {
      const service = memory();
      if (!service.addMemory) missing('MEMORY_NOT_CONFIGURED', 'The memory service has no method addMemory.');
      const note = typeof content === 'string' ? { role: 'user' as const, parts: [{ text: content }] } : content;
      const [added] = await service.addMemory({
        ...user,
        memories: [
          {
            ...p,
            kind: p.kind ?? 'note',
            author: p.author ?? 'user',
            timestamp: p.timestamp ?? runtime.now(),
            sessionId: p.sessionId ?? session.sessionId,
            content: note,
          },
        ],
        signal,
      });
      return added!;
    },
    async deleteMemory(ids) {
      const service = memory();
      if (!service.deleteMemory) missing('MEMORY_NOT_CONFIGURED', 'The memory service has no method deleteMemory.');
      return service.deleteMemory({ ...user, ids, signal });
    },
    searchMemory: async (query, p = {}) => memory().searchMemory({ ...user, query, ...p, signal }),
    requestConfirmation: ({ hint, payload }) => {
      actions.requestedToolConfirmations[functionCallId] = {
        hint,
        confirmed: false,
        ...(payload !== undefined && { payload }),
      };
    },
    resumed: false,
    toolConfirmation: options.toolConfirmation,
    requestInput: async () => options.input ?? missingAnswer('input'),
    requestCredential: async () => options.credential ?? missingAnswer('credential'),
    step: async (_name, fn) => fn({ idempotencyKey: `${session.sessionId}/${functionCallId}`, signal }),
    reportProgress: () => {},
    runChild: () => {
      throw new Error('A context of toolContextFor cannot run agents. Use a Runner to test runChild.');
    },
  };
}

const noEvents: EventLog = Object.freeze({
  length: 0,
  epoch: 0,
  at: () => undefined,
  [Symbol.iterator]: () => [][Symbol.iterator](),
});

function missing(code: 'MEMORY_NOT_CONFIGURED' | 'ARTIFACT_NOT_CONFIGURED', message: string): never {
  throw new TholeError(code, message);
}

function missingAnswer(option: string): never {
  throw new Error(`The tool requested an answer. Set the option ${option} of toolContextFor.`);
}
