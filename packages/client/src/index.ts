export type {
  AgentGraph,
  AgentInfo,
  AppGraph,
  AppInfo,
  DotGraph,
  ServerVersion,
  ToolGraph,
  ToolInfo,
  TraceSpan,
} from './responses.ts';
export type {
  AnswerRequest,
  AppsClient,
  ArtifactsClient,
  ClientCallOptions,
  Client,
  GraphsClient,
  InboxInterrupt,
  InboxQuery,
  InterruptAnswer,
  InterruptsClient,
  ListSessions,
  MemoryClient,
  MemoryConditions,
  NewMessage,
  SessionFile,
  SessionsClient,
  SessionsPage,
  TracesClient,
} from './client.ts';
export { ClientError } from './client-error.ts';
export type { ClientErrorOptions } from './client-error.ts';
export type { ErrorDebug } from './error-debug.ts';
export type { ClientHeaders, ClientOptions, ClientRuntime, ReconnectOptions } from './client-options.ts';
export type { ClientRun, ReconnectListener, ResumeRequest, RunRequest } from './client-run.ts';
export { createClient } from './create-client.ts';
// Types of results, so that a page does not need another package.
export type {
  ArtifactVersion,
  Content,
  Event,
  Interrupt,
  InterruptKind,
  Json,
  JsonObject,
  MemoryEntry,
  Part,
  Session,
  SessionSummary,
} from '@thole/core';
