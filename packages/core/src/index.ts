export type { Json, JsonObject } from './json/json.ts';
export { errorCodeInfo, errorCodes } from './errors/error-codes.ts';
export type { ErrorCodeInfo, TholeErrorCode } from './errors/error-codes.ts';
export { TholeError } from './errors/thole-error.ts';
export type { Optional } from './errors/optional.ts';
export type {
  CancelTimer,
  LogFields,
  Logger,
  Runtime,
  Span,
  SpanAttributes,
  SpanOptions,
  Tracer,
} from './runtime/runtime.ts';
export { silentLogger, silentTracer } from './runtime/silent.ts';
export { systemRuntime } from './runtime/system-runtime.ts';
export type {
  CodeExecutionResult,
  Content,
  ExecutableCode,
  FileData,
  FunctionCall,
  FunctionResponse,
  FunctionResponsePart,
  InlineData,
  Part,
} from './content/content.ts';
export { textOf } from './content/text-of.ts';
export type { LlmResponse, Transcription, Usage } from './model/llm-response.ts';
export type {
  FunctionDeclaration,
  GenerateContentConfig,
  LlmRequest,
  ThinkingConfig,
  ToolConfig,
  ToolDeclaration,
} from './model/llm-request.ts';
export type { ContextCacheHint, ContextCacheOptions } from './model/context-cache.ts';
export type { Llm, LlmOptions } from './model/llm.ts';
export type { ModelFactory } from './model/model-factory.ts';
export type { Embedder } from './model/embedder.ts';
export type { ConnectionOptions, EnvVars, RetryOptions } from './model/connection-options.ts';
export { ProviderConnection } from './model/provider-connection.ts';
export type { ErrorTable } from './model/provider-connection.ts';
export type { EventActions, EventCompaction } from './event/event-actions.ts';
export type { Event } from './event/event.ts';
export { createEvent, createEventActions } from './event/create-event.ts';
export type { EventInit } from './event/create-event.ts';
export { getFunctionCalls, getFunctionResponses, isFinalResponse } from './event/read-event.ts';
export type { Interrupt, InterruptKind } from './interrupt/interrupt.ts';
export { pendingInterrupts } from './interrupt/pending-interrupts.ts';
export { callStatus } from './interrupt/call-status.ts';
export type { CallStatus } from './interrupt/call-status.ts';
export { StatePrefix } from './state/scopes.ts';
export type { ScopedDelta, StateDelta, StateMap } from './state/scopes.ts';
export { State } from './state/state.ts';
export type { ReadonlyState } from './state/state.ts';
export type { EventWindow, ForkOrigin, Session, SessionMarks, SessionRef, SessionSummary } from './session/session.ts';
export type { WaitingKind, WaitingPage, WaitingRequest, WaitingSession } from './session/waiting-sessions.ts';
export type {
  Fence,
  Lease,
  LeaseInfo,
  LeasePolicy,
  LeaseRequest,
  LeaseManager,
  ReleaseOptions,
  SessionHead,
} from './session/lease-manager.ts';
export type { LeaseAnswer, LeaseAsk, LeaseRenewal, LeaseState, LeaseStore } from './session/lease-store.ts';
export { StoredLeaseManager } from './session/stored-lease-manager.ts';
export type { EventWatcher } from './session/event-watcher.ts';
export { StoredEventWatcher } from './session/stored-event-watcher.ts';
export type { EventReader } from './session/stored-event-watcher.ts';
export type {
  CallOptions,
  InsertedSession,
  ListSessionsRequest,
  SessionService,
  UserRef,
} from './session/session-service.ts';
export type {
  AppendOptions,
  RemoveConditions,
  SessionPage,
  SessionStore,
  StoredSession,
} from './session/session-store.ts';
export { StoredSessionService } from './session/stored-session-service.ts';
export type { StoredSessionServiceOptions } from './session/stored-session-service.ts';
export type { ArtifactRef, ArtifactService, ArtifactVersion } from './artifact/artifact-service.ts';
export type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore } from './artifact/artifact-store.ts';
export type { TextCodec } from './artifact/text-codec.ts';
export { StoredArtifactService } from './artifact/stored-artifact-service.ts';
export type { StoredArtifactServiceOptions } from './artifact/stored-artifact-service.ts';
export type { MemoryEntry } from './memory/memory-entry.ts';
export { escapeMemoryText } from './memory/escape-memory-text.ts';
export type { SharedMemoryScope } from './memory/shared-memory-scope.ts';
export type { TimeZoneOption } from './memory/time-zone-option.ts';
export { ZonedTime } from './memory/zoned-time.ts';
export type {
  AddMemoryRequest,
  MemoryFilter,
  MemoryRef,
  MemoryService,
  NewMemory,
  SearchMemoryRequest,
  SearchMemoryResponse,
} from './memory/memory-service.ts';
export type {
  MemoryChange,
  MemoryChanges,
  MemoryLogPosition,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  MemoryUsers,
  IndexSegment,
  IndexSnapshots,
  StoredMemory,
} from './memory/memory-store.ts';
export type { VectorQuery, VectorRow, VectorStore } from './memory/vector-store.ts';
export type { AuthConfig, AuthScheme } from './credential/auth-config.ts';
export type { AuthCredential } from './credential/auth-credential.ts';
export type { Authenticator, SignInResult } from './credential/authenticator.ts';
export type { CredentialRef, CredentialService, PendingAuth, PendingAuthRef } from './credential/credential-service.ts';
export type { CredentialRecord, CredentialRecordKey, CredentialStore } from './credential/credential-store.ts';
export { StoredCredentialService } from './credential/stored-credential-service.ts';
export type { StoredCredentialServiceOptions } from './credential/stored-credential-service.ts';
export type { EventLog } from './agent/event-log.ts';
export { StreamingMode } from './agent/run-config.ts';
export type { RunConfig, RunLimits } from './agent/run-config.ts';
export type { Agent, AgentCallback, MaybePromise, OneOrMany } from './agent/agent.ts';
export { AgentTree } from './agent/agent-tree.ts';
export type {
  CallbackContext,
  ChildRun,
  InputRequest,
  InvocationContext,
  ReadonlyContext,
  StepFunction,
  ToolConfirmation,
  ToolContext,
} from './agent/contexts.ts';
export type {
  OutputOf,
  ReadSchema,
  SchemaInput,
  StandardSchema,
  ValidationIssue,
  ValidationResult,
} from './tool/standard-schema.ts';
export type { RequireConfirmation, Tool, ToolProbe } from './tool/tool.ts';
export type { Toolset } from './tool/toolset.ts';
export type { Plugin } from './plugin/plugin.ts';
export type { App, ResumabilityConfig } from './app/app.ts';
export type { CompactionOptions, Summarizer, Summary, SummaryRequest } from './app/compaction.ts';
export { readRetryAfter } from './model/retry-after.ts';
