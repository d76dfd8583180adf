// Helpers that the packages of this repository share. Not part of the public API: any release may change them.
export { definedMembers } from './json/defined-members.ts';
export { getOwn, setOwn } from './json/own.ts';
export { resolvePointer } from './json/resolve-pointer.ts';
export { deepFreeze, JsonCopier, jsonBytes, thawJson } from './json/copy-json.ts';
export { findNonJson, isPlainObject, MAX_JSON_DEPTH, typeName } from './json/find-non-json.ts';
export type { JsonProblem } from './json/find-non-json.ts';
export { parseJson } from './json/parse-json.ts';
export { resolveToJson } from './json/resolve-to-json.ts';
export { toWellFormed } from './json/to-well-formed.ts';
export { withoutRejectedMedia } from './model/without-rejected-media.ts';
export { assertBytes } from './errors/assert-bytes.ts';
export { assertCount } from './errors/assert-count.ts';
export { assertDuration } from './errors/assert-duration.ts';
export { assertSeconds, MAX_SECONDS } from './errors/assert-seconds.ts';
export { classifyRejection } from './model/classify-rejection.ts';
export type { RejectionDetails, RejectionKind } from './model/classify-rejection.ts';
export { codeOfStatus } from './model/code-of-status.ts';
export { errorCodeOf } from './errors/error-code-of.ts';
export { errorFields } from './errors/error-fields.ts';
export type { ErrorFields } from './errors/error-fields.ts';
export { failInvalidJson, invalidInput } from './errors/invalid-input.ts';
export { optionNames } from './errors/option-names.ts';
export { rejectUnknownOptions } from './errors/reject-unknown-options.ts';
export { didYouMean } from './errors/suggest-name.ts';
export { raceAbort, raceAbortWrite } from './errors/race-abort.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { isPrivateAddress } from './runtime/private-address.ts';
export { normalizeHost } from './runtime/normalize-host.ts';
export { renameWhenFree } from './runtime/rename-when-free.ts';
export { sha256Hex } from './runtime/sha256-hex.ts';
export { timerAt } from './runtime/timer-at.ts';
export { KeyedQueue } from './runtime/keyed-queue.ts';
export { putCached } from './runtime/put-cached.ts';
export { actionMapNames, createActionMaps } from './event/event-actions.ts';
export { fromEventText, toEventText } from './event/event-text.ts';
export { closingRecordMark, isClosingRecord } from './event/is-closing-record.ts';
export { isRuntimeMetadata } from './event/runtime-metadata.ts';
export { applyRewinds, firstEventOf, newestFirst, rewindOf } from './event/apply-rewinds.ts';
export { formatAnswerIssues, parseAnswerIssues } from './interrupt/answer-issues.ts';
export { argumentsToApprove, escapeHidden } from './interrupt/arguments-to-approve.ts';
export { callToApprove } from './interrupt/call-to-approve.ts';
export { answerEventId, requestKindOf, requestNames } from './interrupt/interrupt.ts';
export { InterruptLog, isFinalRecord, isProvisional } from './interrupt/interrupt-log.ts';
export type { RecordedInterrupt } from './interrupt/interrupt-log.ts';
export { callTracer } from './runtime/call-tracer.ts';
export { endFailed, errorTypeOf } from './runtime/end-failed.ts';
export { inNewSpan } from './runtime/in-new-span.ts';
export type { TracedWork } from './runtime/in-new-span.ts';
export { serverAttributes } from './runtime/server-attributes.ts';
export { silentSpan } from './runtime/silent.ts';
export { callInterceptorOf, setCallInterceptor } from './tool/call-interceptor.ts';
export { filterResult } from './tool/filter-result.ts';
export type { AgentChanges, AgentStep, CallInterceptor } from './tool/call-interceptor.ts';
export { assertContent, assertResponseParts, partKinds } from './content/assert-content.ts';
export { codeText } from './content/code-text.ts';
export { joinBytes } from './content/join-bytes.ts';
export { isTextType, mediaTypeOf } from './content/media-type-of.ts';
export { pairCalls } from './content/pair-calls.ts';
export type { PairedCall, PairedCalls } from './content/pair-calls.ts';
export { sendableCallIds } from './content/sendable-call-ids.ts';
export { mediaLine, newestUserContent, OTHER_AGENT_HEADING } from './content/unreadable-media.ts';
export { appendInstruction } from './model/append-instruction.ts';
export { assertModelName } from './model/assert-model-name.ts';
export { completeSchemaRoot } from './model/complete-schema-root.ts';
export { mapSchemas, normalizeSchema, schemaKeywords } from './model/normalize-schema.ts';
export { tokenCount } from './model/token-count.ts';
export { resolveSchemaRoot } from './model/resolve-schema-root.ts';
export { assertConnectionOptions, connectionOptionNames } from './model/connection-options.ts';
export {
  mayHaveEncryptedReasoning,
  isFromEndpoint,
  isReasoningRejected,
  withoutEncryptedReasoning,
} from './model/endpoint.ts';
export type { Endpoint } from './model/endpoint.ts';
export { isPartOfAnswer } from './model/is-part-of-answer.ts';
export { ModelWarnings } from './model/model-warnings.ts';
export { createModelFactory } from './model/create-model-factory.ts';
export { findRejectedSetting, valueAt, withoutValueAt } from './model/optional-settings.ts';
export type { OptionalSettings } from './model/optional-settings.ts';
export { FIRST_MESSAGE, LAST_MESSAGE, PENDING_ANSWER } from './model/placeholders.ts';
export { readCallArgs } from './model/read-call-args.ts';
export { readVectors, wrongVectors } from './model/read-vectors.ts';
export { recoverFirst } from './model/recover-first.ts';
export { declaredNames, toSendableName } from './model/sendable-name.ts';
export { guardedFetch } from './model/guarded-fetch.ts';
export type { FetchGuard, RefusedAnswer } from './model/guarded-fetch.ts';
export { withRetries } from './model/with-retries.ts';
export { applyDelta, mergeScopes, scopeOf, splitByScope } from './state/scopes.ts';
export type { StateScope } from './state/scopes.ts';
export type { StateView } from './state/state.ts';
export {
  assertName,
  assertSessionRef,
  assertUser,
  MAX_NAME_BYTES,
  sessionKeyOf,
  userKeyOf,
} from './session/assert-name.ts';
export { LeaseProcesses } from './session/lease-processes.ts';
export { InMemoryLeaseStore, inProcessLeases } from './session/in-memory-lease-store.ts';
export { noMarks } from './session/session-marks.ts';
export {
  formatWaitingCursor,
  hasMarks,
  isWaiting,
  parseWaitingCursor,
  WAITING_PAGE,
  waitingTime,
} from './session/waiting-sessions.ts';
export { countPrunableEvents, foldStateDeltas } from './session/prunable-events.ts';
export { ingestibleEvents } from './session/ingestible-events.ts';
export { leaseLost, notRunning, sessionExists, sessionNotFound } from './session/session-errors.ts';
export { decodeBase64, encodeBase64, isBase64, toStandardBase64 } from './content/base64.ts';
export { assertTextCodec, decodeText, encodeText, isEncoded } from './artifact/text-codec.ts';
export { ObjectArtifactStore } from './artifact/object-artifact-store.ts';
export type { ObjectBucket, StoredObject } from './artifact/object-artifact-store.ts';
export { turnId } from './memory/memory-entry.ts';
export { clipToTokens } from './memory/estimate-tokens.ts';
export { isoTime } from './memory/iso-time.ts';
export { isCurrentMemory } from './memory/is-current-memory.ts';
export { normalizeStatement } from './memory/normalize-statement.ts';
export { labelFormattedMemory } from './memory/label-memory.ts';
export { quoteMemory, withoutQuotedMemory } from './memory/quoted-memory.ts';
export { assertSharedScope, memoryKeyOf } from './memory/shared-memory-scope.ts';
export type { OneOrMany } from './agent/agent.ts';
export { assertAgent, assertAgentName } from './agent/agent-tree.ts';
export { isStandardSchema, readSchema } from './tool/standard-schema.ts';
export type { ReadSchema } from './tool/standard-schema.ts';
export { withRuntime } from './runtime/with-runtime.ts';
export { linkSignals } from './runtime/link-signals.ts';
export { waitAtMost } from './runtime/wait-at-most.ts';
export { withTimeLimit } from './runtime/with-time-limit.ts';
export { redact } from './errors/redact.ts';
export { createTimeZoneReader } from './memory/time-zone-option.ts';
export type { TimeZoneReader } from './memory/time-zone-option.ts';
export { estimateTokens } from './memory/estimate-tokens.ts';
export { splitIntoBatches } from './memory/split-into-batches.ts';
export { DEFAULT_MIN_RELEVANCE, packMemory } from './memory/pack-memory.ts';
export type { StoredMemoryFilter } from './memory/memory-store.ts';
export type { ErrorCodeInfo } from './errors/error-codes.ts';
export type { TholeErrorOptions } from './errors/thole-error.ts';
export { readAuthConfig, readAuthCredential } from './credential/read-auth-config.ts';
export type { HttpAuth, OAuth2Auth } from './credential/auth-credential.ts';
export type { OAuth2Flow } from './credential/auth-config.ts';
