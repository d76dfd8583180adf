import { createEventActions, TholeError } from '@thole/core';
import { deepFreeze, callInterceptorOf } from '@thole/core/kit';
import type { Event, LlmResponse } from '@thole/core';
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { logFailure } from '../hooks/log-failure.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { inSpan } from '../traces/run-trace.ts';
import { assertFinal, assertResponse, assertResponses } from './assert-response.ts';
import { ModelSpan } from './model-span.ts';
import { configuredName, selectModel } from './select-model.ts';
import type { SelectedModel } from './select-model.ts';

/** A model's complete answer. `id` is the id of its event and of its partial events. */
export interface ModelAnswer {
  readonly id: string;
  readonly response: LlmResponse;
  /** `seq` of the newest event that the model saw, if a message has joined the run. */
  readonly seenSeq?: number | undefined;
}

/**
 * Calls the model once, with its hooks. `pull` throws the model's error, `MODEL_FAILED` with the cause for an error without a
 * code, `MODEL_INCOMPLETE`, `MODEL_PROTOCOL` or `MODEL_EMPTY` if the model violates its contract, and
 * `LLM_CALL_LIMIT`.
 */
export class ModelCall {
  readonly #draft: RequestDraft;
  readonly #id: string;
  readonly #isStreamed: boolean;
  #selected: SelectedModel | undefined;
  #span: ModelSpan | undefined;
  #responses: AsyncIterator<LlmResponse> | undefined;
  #final: LlmResponse | undefined;
  #isOver: boolean = false;

  constructor(draft: RequestDraft) {
    this.#draft = draft;
    this.#id = draft.context.runtime.newId('event');
    this.#isStreamed = draft.context.runConfig.streamingMode === 'sse';
  }

  /** Returns the next partial event if the answer is streamed. Returns the complete answer at the end. */
  async pull(): Promise<Event | ModelAnswer> {
    const draft = this.#draft;
    if (!this.#selected) {
      draft.request.model = configuredName(draft);
      const replacement = hasBeforeHook(draft) && (await beforeModel(draft));
      draft.context.signal.throwIfAborted();
      if (replacement) return this.#answer(replacement);
      this.#begin();
    }
    const { signal } = draft.context;
    const { support } = draft;
    const selected = this.#selected!;
    let part: LlmResponse | undefined;
    let failure: TholeError | undefined;
    support.assertMayBegin();
    support.beginCall();
    try {
      while (!part && !this.#isOver) {
        const step = await (this.#span ? inSpan(this.#span.span, () => this.#readNext()) : this.#readNext());
        signal.throwIfAborted();
        if (step.done) {
          assertFinal(this.#final, selected.name);
          this.#span?.finish(this.#final);
          this.#isOver = true;
        } else {
          assertResponse(step.value, this.#final, selected.name);
          if (this.#isStreamed) this.#span?.chunk(step.value);
          if (!step.value.partial) this.#final = withModelVersion(step.value, selected);
          else if (this.#isStreamed) part = step.value;
        }
      }
    } catch (error) {
      this.cancel(error);
      signal.throwIfAborted();
      failure = asModelError(error, selected);
      logFailure(draft.context, 'A model failed.', failure, { model: selected.name });
    } finally {
      support.endCall();
    }
    // Outside of the `try`, so that errors of hooks are not treated as errors of the model.
    const isHooked = hasAfterHook(draft);
    if (part) return partialEvent(draft, this.#id, isHooked ? await afterModel(draft, part) : part);
    const whole = failure ? await onModelError(draft, failure) : this.#final!;
    return this.#answer(isHooked ? await afterModel(draft, whole) : whole);
  }

  /**
   * Ends the model's stream early. The end is not awaited, because a model that ignores its signal may never end.
   */
  cancel(error?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { signal } = this.#draft.context;
    this.#span?.end(signal.aborted ? signal.reason : error);
    const cancelling = async (): Promise<unknown> => this.#responses?.return?.();
    cancelling().catch(noop);
  }

  #begin(): void {
    const draft = this.#draft;
    const { model, name } = (this.#selected = selectModel(draft));
    draft.request.model = name;
    const { trace } = draft.support;
    draft.support.countModelCall(draft.lastSeq);
    this.#span = trace && new ModelSpan(trace, draft, { model, eventId: this.#id, stream: this.#isStreamed });
  }

  #readNext(): Promise<IteratorResult<LlmResponse>> {
    const { request, context } = this.#draft;
    if (!this.#responses) {
      const { model, name } = this.#selected!;
      const options = { stream: this.#isStreamed, signal: context.signal, logger: context.runtime.logger };
      const { agentName, branch, runtime } = context;
      const responses =
        callInterceptorOf(runtime)?.callModel({ model, request, options, agentName, branch }) ??
        model.generateContentAsync(request, options);
      assertResponses(responses, name);
      this.#responses = responses[Symbol.asyncIterator]();
    }
    return this.#responses.next();
  }

  #answer(response: LlmResponse): ModelAnswer {
    this.#isOver = true;
    const { lastSeq, support } = this.#draft;
    // An answer of a callback has no `seenSeq`: no model has seen the history.
    const seenSeq = this.#selected && support.joined.hasMessage ? lastSeq : undefined;
    return { id: this.#id, response, seenSeq };
  }
}

/** Adds the name of a model that is not that of the agent, so that the answer is counted with its price. */
function withModelVersion(response: LlmResponse, { isOther, name }: SelectedModel): LlmResponse {
  return isOther && response.modelVersion === undefined ? { ...response, modelVersion: name } : response;
}

function asModelError(error: unknown, { name }: SelectedModel): TholeError {
  return TholeError.is(error) ? error : new TholeError('MODEL_FAILED', `Model ${name} failed.`, { cause: error });
}

// Shared by all partial events: they have no actions, and there are many.
const noActions: Event['actions'] = deepFreeze(createEventActions());

function partialEvent({ agent, context }: RequestDraft, id: string, response: LlmResponse): Event {
  const { invocationId, branch, runtime } = context;
  return {
    ...response,
    partial: true,
    id,
    invocationId,
    author: agent.name,
    timestamp: runtime.now(),
    actions: noActions,
    ...(branch !== undefined && { branch }),
  };
}

function hasBeforeHook({ agent, support }: RequestDraft): boolean {
  return agent.beforeModelCallback !== undefined || hasHook(support.plugins, 'beforeModelCallback');
}

function hasAfterHook({ agent, support }: RequestDraft): boolean {
  return agent.afterModelCallback !== undefined || hasHook(support.plugins, 'afterModelCallback');
}

async function beforeModel({ agent, context, request, support }: RequestDraft): Promise<LlmResponse | undefined> {
  const { signal } = context;
  const p = { callbackContext: context, llmRequest: request };
  return (
    (await callPlugins(support.plugins, 'beforeModelCallback', p, signal)) ??
    (await callCallbacks(agent, 'beforeModelCallback', signal, { context, request }))
  );
}

async function afterModel({ agent, context, support }: RequestDraft, response: LlmResponse): Promise<LlmResponse> {
  const { signal } = context;
  const p = { callbackContext: context, llmResponse: response };
  return (
    (await callPlugins(support.plugins, 'afterModelCallback', p, signal)) ??
    (await callCallbacks(agent, 'afterModelCallback', signal, { context, response })) ??
    response
  );
}

async function onModelError(
  { agent, context, request, support }: RequestDraft,
  error: TholeError,
): Promise<LlmResponse> {
  const { signal } = context;
  const p = { callbackContext: context, llmRequest: request, error };
  const answer =
    (await callPlugins(support.plugins, 'onModelErrorCallback', p, signal)) ??
    (await callCallbacks(agent, 'onModelErrorCallback', signal, { context, request, error }));
  if (!answer) throw error;
  return answer;
}

function noop(): void {}
