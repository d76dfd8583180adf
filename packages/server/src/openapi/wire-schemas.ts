import type {
  ArtifactVersion,
  Content,
  Event,
  EventActions,
  Interrupt,
  JsonObject,
  MemoryEntry,
  Part,
} from '@thole/core';
import { createActionMaps } from '@thole/core/kit';
import type { AppInfo } from '../routes/app-info.ts';
import type { WireSession } from '../routes/wire-session.ts';
import { anyObject, boolean, integer, listOf, number, objectOf, ref, text } from './schema.ts';
import type { SchemaName } from './schema.ts';

/** All members of a type. Names of optional members end with `?`. The compiler rejects an incomplete list. */
type Members<T> = {
  readonly [name in keyof T & string as undefined extends T[name] ? `${name}?` : name]: JsonObject;
};

const bytes = objectOf({ mimeType: text, data: { type: 'string', contentEncoding: 'base64' }, 'displayName?': text });
const file = objectOf({ fileUri: text, 'mimeType?': text, 'displayName?': text });
const transcription = objectOf({ 'text?': text, 'finished?': boolean });
const seconds: JsonObject = { type: 'number', description: 'Seconds since the epoch' };

const content: Members<Content> = { 'role?': { enum: ['user', 'model'] }, 'parts?': listOf(ref('Part')) };

const part: Members<Part> = {
  'text?': text,
  'thought?': boolean,
  'thoughtSignature?': text,
  'functionCall?': objectOf({ 'id?': text, name: text, 'args?': anyObject, 'brokenArgs?': text }),
  'functionResponse?': objectOf({
    'id?': text,
    name: text,
    response: anyObject,
    'parts?': listOf(objectOf({ 'inlineData?': bytes, 'fileData?': file })),
  }),
  'inlineData?': bytes,
  'fileData?': file,
  'executableCode?': objectOf({ code: text, 'language?': text }),
  'codeExecutionResult?': objectOf({ 'outcome?': text, 'output?': text }),
  'partMetadata?': { ...objectOf({ provider: text }), additionalProperties: true },
};

const eventActions: Members<EventActions> = {
  ...createActionMaps(() => anyObject),
  artifactDelta: { type: 'object', additionalProperties: integer },
  'skipSummarization?': boolean,
  'transferToAgent?': text,
  'escalate?': boolean,
  'compaction?': anyObject,
  'endOfAgent?': boolean,
  'agentState?': anyObject,
  'rewindBeforeInvocationId?': text,
};

const event: Members<Event> = {
  id: text,
  invocationId: text,
  author: text,
  timestamp: seconds,
  actions: ref('EventActions'),
  'branch?': text,
  'longRunningToolIds?': listOf(text),
  'nodeInfo?': anyObject,
  'seq?': integer,
  'content?': ref('Content'),
  'partial?': boolean,
  'turnComplete?': boolean,
  'finishReason?': text,
  'errorCode?': text,
  'errorMessage?': text,
  'interrupted?': boolean,
  'usageMetadata?': anyObject,
  'groundingMetadata?': anyObject,
  'citationMetadata?': anyObject,
  'inputTranscription?': transcription,
  'outputTranscription?': transcription,
  'modelVersion?': text,
  'customMetadata?': anyObject,
};

const interrupt: Members<Interrupt> = {
  id: text,
  kind: { enum: ['confirmation', 'input', 'credential', 'longRunning', 'timer'] },
  invocationId: text,
  agentName: text,
  'branch?': text,
  'functionCallId?': text,
  'toolName?': text,
  'args?': anyObject,
  'message?': text,
  'responseSchema?': anyObject,
  'payload?': {},
  createdAt: seconds,
  'expiresAt?': seconds,
};
/** An interrupt in the list of an app, with the user and session that it belongs to. */
export const inboxInterrupt: JsonObject = objectOf({ ...interrupt, userId: text, sessionId: text });

const session: Members<WireSession> = {
  id: text,
  appName: text,
  userId: text,
  state: anyObject,
  events: listOf(ref('Event')),
  lastUpdateTime: seconds,
  lastSeq: integer,
  incarnation: text,
  'forkedFrom?': objectOf({ sessionId: text, incarnation: text, copiedEvents: integer }),
  'window?': anyObject,
};

const artifact: Members<ArtifactVersion> = {
  version: integer,
  'mimeType?': text,
  'displayName?': text,
  'customMetadata?': anyObject,
  createTime: seconds,
};

const memory: Members<MemoryEntry> = {
  id: text,
  kind: { enum: ['turn', 'fact', 'note'] },
  content: ref('Content'),
  'author?': text,
  'timestamp?': seconds,
  'sessionId?': text,
  'eventId?': text,
  'score?': number,
  'relevance?': number,
  'explanation?': { type: 'object', additionalProperties: number },
  'evidence?': listOf(text),
  'validFrom?': seconds,
  'validTo?': seconds,
  'supersededBy?': text,
  'topics?': listOf(text),
  'expiresAt?': seconds,
  'scope?': { type: 'object', properties: { team: text, agent: text }, additionalProperties: false },
  'customMetadata?': anyObject,
};

const tool = objectOf({ name: text, description: text, 'allowEditedArguments?': boolean });
const appInfo: Members<AppInfo> = {
  name: text,
  rootAgentName: text,
  description: text,
  language: text,
  agents: {
    type: 'object',
    additionalProperties: objectOf({ name: text, description: text, subAgents: listOf(text), tools: listOf(tool) }),
  },
  services: objectOf({ memory: boolean, artifacts: boolean }),
  suggestions: listOf(text),
};

const debug = objectOf({ message: text, 'stack?': text, causes: listOf(text) });

/** The schemas in `components`: the objects in bodies and responses. */
export const wireSchemas: { readonly [name in SchemaName]: JsonObject } = {
  AppInfo: objectOf(appInfo),
  Artifact: objectOf(artifact),
  Content: objectOf(content),
  Error: objectOf({ detail: text, 'code?': text, 'debug?': debug }),
  Event: objectOf(event),
  EventActions: objectOf(eventActions),
  Interrupt: objectOf(interrupt),
  Memory: objectOf(memory),
  Part: objectOf(part),
  RunError: {
    ...objectOf({ error: text, errorDetails: objectOf({ code: text, 'retryable?': boolean }), 'debug?': debug }),
    description: 'The last frame of a failed run, instead of an event',
  },
  Session: objectOf(session),
  Span: objectOf({
    name: text,
    span_id: text,
    trace_id: text,
    start_time: number,
    'end_time?': number,
    attributes: anyObject,
    'parent_span_id?': text,
  }),
};
