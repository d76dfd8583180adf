import type {
  ArtifactVersion,
  Content,
  Event,
  EventActions,
  JsonObject,
  MemoryEntry,
  Part,
  Session,
} from '@thole/core';
import type { AppInfo } from '../routes/app-info.ts';
import { amount, anyObject, listOf, objectOf, ref, text, wholeNumber, yesOrNo } from './schema.ts';
import type { SchemaName } from './schema.ts';

/** Every member of a type, optional ones with `?` at the end: the compiler refuses a list that leaves one out. */
type Members<T> = {
  readonly [name in keyof T & string as undefined extends T[name] ? `${name}?` : name]: JsonObject;
};

const bytes = objectOf({ mimeType: text, data: { type: 'string', contentEncoding: 'base64' }, 'displayName?': text });
const file = objectOf({ fileUri: text, 'mimeType?': text, 'displayName?': text });
const transcription = objectOf({ 'text?': text, 'finished?': yesOrNo });
const seconds: JsonObject = { type: 'number', description: 'Seconds since the epoch' };

const content: Members<Content> = { 'role?': { enum: ['user', 'model'] }, 'parts?': listOf(ref('Part')) };

const part: Members<Part> = {
  'text?': text,
  'thought?': yesOrNo,
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
  stateDelta: anyObject,
  artifactDelta: { type: 'object', additionalProperties: wholeNumber },
  requestedAuthConfigs: anyObject,
  requestedToolConfirmations: anyObject,
  'skipSummarization?': yesOrNo,
  'transferToAgent?': text,
  'escalate?': yesOrNo,
  'compaction?': anyObject,
  'endOfAgent?': yesOrNo,
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
  'seq?': wholeNumber,
  'content?': ref('Content'),
  'partial?': yesOrNo,
  'turnComplete?': yesOrNo,
  'finishReason?': text,
  'errorCode?': text,
  'errorMessage?': text,
  'interrupted?': yesOrNo,
  'usageMetadata?': anyObject,
  'groundingMetadata?': anyObject,
  'citationMetadata?': anyObject,
  'inputTranscription?': transcription,
  'outputTranscription?': transcription,
  'modelVersion?': text,
  'customMetadata?': anyObject,
};

const session: Members<Session> = {
  id: text,
  appName: text,
  userId: text,
  state: anyObject,
  events: listOf(ref('Event')),
  lastUpdateTime: seconds,
  lastSeq: wholeNumber,
  incarnation: text,
  'window?': anyObject,
};

const artifact: Members<ArtifactVersion> = {
  version: wholeNumber,
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
  'score?': amount,
  'relevance?': amount,
  'explanation?': { type: 'object', additionalProperties: amount },
  'evidence?': listOf(text),
  'validFrom?': seconds,
  'validTo?': seconds,
  'supersededBy?': text,
  'topics?': listOf(text),
  'expiresAt?': seconds,
  'scope?': { type: 'object', properties: { team: text, agent: text }, additionalProperties: false },
  'customMetadata?': anyObject,
};

const tool = objectOf({ name: text, description: text });
const appInfo: Members<AppInfo> = {
  name: text,
  rootAgentName: text,
  description: text,
  language: text,
  agents: {
    type: 'object',
    additionalProperties: objectOf({ name: text, description: text, subAgents: listOf(text), tools: listOf(tool) }),
  },
  services: objectOf({ memory: yesOrNo, artifacts: yesOrNo }),
  suggestions: listOf(text),
};

const debug = objectOf({ message: text, 'stack?': text, causes: listOf(text) });

/** The schemas of `components`: what bodies and answers are made of. */
export const wireSchemas: { readonly [name in SchemaName]: JsonObject } = {
  AppInfo: objectOf(appInfo),
  Artifact: objectOf(artifact),
  Content: objectOf(content),
  Error: objectOf({ detail: text, 'code?': text, 'debug?': debug }),
  Event: objectOf(event),
  EventActions: objectOf(eventActions),
  Memory: objectOf(memory),
  Part: objectOf(part),
  RunError: {
    ...objectOf({ error: text, errorDetails: objectOf({ code: text, 'retryable?': yesOrNo }), 'debug?': debug }),
    description: 'The last frame of a run that failed, in the place of an event',
  },
  Session: objectOf(session),
  Span: objectOf({
    name: text,
    span_id: text,
    trace_id: text,
    start_time: amount,
    'end_time?': amount,
    attributes: anyObject,
    'parent_span_id?': text,
  }),
};
