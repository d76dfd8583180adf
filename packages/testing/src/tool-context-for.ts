import { createEventActions, State, TholeError } from '@thole/core';
import { optionNames, rejectUnknownOptions, silentSpan } from '@thole/core/kit';
import type {
  ArtifactService,
  AuthCredential,
  Content,
  Event,
  EventActions,
  EventLog,
  Json,
  MemoryService,
  Runtime,
  SessionRef,
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
  const { runtime, userContent = 'Hello.', state = {}, temp = {}, functionCallId = 'call-1' } = options;
  const { appName = 'app', userId = 'user', sessionId = 'session' } = options;
  const { signal = new AbortController().signal, idempotencyKey = `${sessionId}/${functionCallId}` } = options;
  const ref: CallRef = { appName, userId, sessionId, signal };
  const actions = createEventActions();
  return {
    appName,
    userId,
    sessionId,
    invocationId: options.invocationId ?? 'invocation-1',
    agentName: options.agentName ?? 'agent',
    functionCallId,
    idempotencyKey,
    userContent: typeof userContent === 'string' ? { role: 'user', parts: [{ text: userContent }] } : userContent,
    state: new State({ read: (key) => state[key], copyInto: (target) => void Object.assign(target, state) }, { temp }),
    history: noEvents,
    signal,
    runtime,
    span: silentSpan,
    deps: options.deps as Deps,
    actions,
    ...artifactMethods(options.artifactService, ref, actions),
    ...memoryMethods(options.memoryService, ref, runtime),
    requestConfirmation: ({ hint, payload }) => {
      const confirmation = { hint, confirmed: false, ...(payload !== undefined && { payload }) };
      actions.requestedToolConfirmations[functionCallId] = confirmation;
    },
    resumed: false,
    toolConfirmation: options.toolConfirmation,
    requestInput: async () => options.input ?? missingAnswer('input'),
    requestCredential: async () => options.credential ?? missingAnswer('credential'),
    step: async (_name, fn) => fn({ idempotencyKey: `${sessionId}/${functionCallId}`, signal }),
    reportProgress: () => {},
    runChild: () => {
      throw new Error('A context of toolContextFor cannot run agents. Use a Runner to test runChild.');
    },
  };
}

/** The session of a call, and its signal. */
type CallRef = SessionRef & { readonly signal: AbortSignal };

function artifactMethods(
  service: ArtifactService | undefined,
  ref: CallRef,
  { artifactDelta }: EventActions,
): Pick<ToolContext, 'saveArtifact' | 'loadArtifact' | 'listArtifacts' | 'deleteArtifact'> {
  const artifacts = (): ArtifactService =>
    service ?? missing('ARTIFACT_NOT_CONFIGURED', 'Set the option artifactService of toolContextFor.');
  return {
    async saveArtifact(filename, artifact, customMetadata) {
      const version = await artifacts().saveArtifact({ ...ref, filename, artifact, customMetadata });
      artifactDelta[filename] = version;
      return version;
    },
    loadArtifact: async (filename, version) => artifacts().loadArtifact({ ...ref, filename, version }),
    listArtifacts: async () => artifacts().listArtifactKeys(ref),
    deleteArtifact: async (filename) => artifacts().deleteArtifact({ ...ref, filename }),
  };
}

function memoryMethods(
  service: MemoryService | undefined,
  ref: CallRef,
  runtime: Runtime,
): Pick<ToolContext, 'addSessionToMemory' | 'addEventsToMemory' | 'addMemory' | 'deleteMemory' | 'searchMemory'> {
  const { appName, userId, sessionId, signal } = ref;
  const user = { appName, userId, signal };
  function memoryWith<K extends keyof MemoryService>(method: K): MemoryService & Required<Pick<MemoryService, K>> {
    if (!service) missing('MEMORY_NOT_CONFIGURED', 'Set the option memoryService of toolContextFor.');
    if (!service[method]) missing('MEMORY_NOT_CONFIGURED', `The memory service has no method ${method}.`);
    return service as MemoryService & Required<Pick<MemoryService, K>>;
  }
  const addEventsToMemory = async (events: readonly Event[]): Promise<void> =>
    memoryWith('addEventsToMemory').addEventsToMemory({ ...ref, events });
  return {
    addEventsToMemory,
    addSessionToMemory: () => addEventsToMemory([]),
    async addMemory(given, { kind = 'note', author = 'user', ...p } = {}) {
      const content = typeof given === 'string' ? { role: 'user' as const, parts: [{ text: given }] } : given;
      const { timestamp = runtime.now(), sessionId: ofSession = sessionId } = p;
      const note = { ...p, kind, author, timestamp, sessionId: ofSession, content };
      const [added] = await memoryWith('addMemory').addMemory({ ...user, memories: [note] });
      return added!;
    },
    deleteMemory: async (ids) => memoryWith('deleteMemory').deleteMemory({ ...user, ids }),
    searchMemory: async (query, p = {}) => memoryWith('searchMemory').searchMemory({ ...user, query, ...p, signal }),
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
