import { createEventActions, TholeError } from '@thole/core';
import type { Event, Llm, LlmResponse } from '@thole/core';
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { findModel } from '../request/find-model.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { inSpan } from '../traces/run-trace.ts';
import { checkFinal, checkResponse } from './check-response.ts';
import { ModelSpan } from './model-span.ts';

/** A model's whole answer; `id` is that of its event and of the partials that were shown. */
export interface ModelAnswer {
  readonly id: string;
  readonly response: LlmResponse;
}

/**
 * Asks the model once, with the hooks around it. Throws what the model throws, `MODEL_FAILED` around an error that is not ours,
 * `MODEL_INCOMPLETE`, `MODEL_PROTOCOL` or `MODEL_EMPTY` where it breaks its promise, and `LLM_CALL_LIMIT`.
 */
export async function callModel(draft: RequestDraft): Promise<ModelAnswer> {
  const instead = listensBefore(draft) && (await answerInstead(draft));
  if (instead) return instead;
  const call = new ModelCall(draft);
  let step = await call.pull();
  while ('partial' in step) step = await call.pull();
  return 'final' in step && !listensAfter(draft) ? { id: call.id, response: step.final } : endCall(draft, call, step);
}

/** The same, and yields partial events as they come. */
export async function* streamModel(draft: RequestDraft): AsyncGenerator<Event, ModelAnswer, Event> {
  const instead = listensBefore(draft) && (await answerInstead(draft));
  if (instead) return instead;
  const call = new ModelCall(draft);
  const listened = listensAfter(draft);
  let isDone = false;
  try {
    let step = await call.pull();
    for (; 'partial' in step; step = await call.pull()) {
      yield partialEvent(draft, call.id, listened ? await afterModel(draft, step.partial) : step.partial);
    }
    isDone = true;
    return await endCall(draft, call, step);
  } finally {
    if (!isDone) call.leave();
  }
}

async function endCall(draft: RequestDraft, { id }: ModelCall, end: Final | Failure): Promise<ModelAnswer> {
  const response = 'error' in end ? await onModelError(draft, end.error) : end.final;
  return { id, response: listensAfter(draft) ? await afterModel(draft, response) : response };
}

interface Piece {
  partial: LlmResponse;
}
interface Final {
  final: LlmResponse;
}
/** A value, so that what hooks and the reader's side throw while partials are shown is not taken for the model's. */
interface Failure {
  error: TholeError;
}

/** A model's answer while it comes. */
class ModelCall {
  readonly id: string;
  readonly #draft: RequestDraft;
  readonly #model: Llm;
  readonly #span: ModelSpan | undefined;
  #responses: AsyncIterator<LlmResponse> | undefined;
  #final: LlmResponse | undefined;

  constructor(draft: RequestDraft) {
    this.id = draft.context.runtime.newId('event');
    this.#draft = draft;
    this.#model = modelOf(draft);
    draft.request.model = this.#model.model;
    draft.context.countLlmCall();
    const { trace } = draft.support;
    const stream = draft.context.runConfig.streamingMode === 'sse';
    this.#span = trace && new ModelSpan(trace, draft, { model: this.#model, eventId: this.id, stream });
  }

  async pull(): Promise<Piece | Final | Failure> {
    const { signal, runConfig } = this.#draft.context;
    try {
      const stream = runConfig.streamingMode === 'sse';
      for (;;) {
        const step = await (this.#span ? this.#nextIn(this.#span, stream) : this.#next(stream));
        signal.throwIfAborted();
        if (step.done) {
          checkFinal(this.#final, this.#model.model);
          this.#span?.answered(this.#final);
          return { final: this.#final };
        }
        checkResponse(step.value, this.#final, this.#model.model);
        if (stream) this.#span?.chunk();
        if (!step.value.partial) this.#final = step.value;
        else if (stream) return { partial: step.value };
      }
    } catch (error) {
      this.#span?.end(signal.aborted ? signal.reason : error);
      this.leave();
      signal.throwIfAborted();
      return { error: asModelError(error, this.#model) };
    }
  }

  /** Lets the model go. Not waited for: one that broke its promise, or ignores its signal, may break this one too. */
  leave(): void {
    this.#span?.end(this.#draft.context.signal.aborted ? this.#draft.context.signal.reason : undefined);
    const leaving = async (): Promise<unknown> => this.#responses?.return?.();
    leaving().catch(noop);
  }

  #nextIn({ span }: ModelSpan, stream: boolean): Promise<IteratorResult<LlmResponse>> {
    return inSpan(span, () => this.#next(stream));
  }

  #next(stream: boolean): Promise<IteratorResult<LlmResponse>> {
    this.#responses ??= this.#model
      .generateContentAsync(this.#draft.request, { stream, signal: this.#draft.context.signal })
      [Symbol.asyncIterator]();
    return this.#responses.next();
  }
}

function modelOf({ agent, context, support }: RequestDraft): Llm {
  const model = findModel(agent, context.tree);
  if (model === undefined)
    throw new TholeError('INVALID_INPUT', `Agent ${agent.name} has no model, and no agent above it has one.`);
  return typeof model === 'string' ? support.model(model) : model;
}

function asModelError(error: unknown, { model }: Llm): TholeError {
  return TholeError.is(error) ? error : new TholeError('MODEL_FAILED', `Model ${model} failed.`, { cause: error });
}

// All partials share it: they do nothing, and there are many of them.
const noActions: Event['actions'] = Object.freeze(createEventActions());

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

function listensBefore({ agent, support }: RequestDraft): boolean {
  return agent.beforeModelCallback !== undefined || hasHook(support.plugins, 'beforeModelCallback');
}

async function answerInstead(draft: RequestDraft): Promise<ModelAnswer | undefined> {
  const response = await beforeModel(draft);
  return response && { id: draft.context.runtime.newId('event'), response };
}

function listensAfter({ agent, support }: RequestDraft): boolean {
  return agent.afterModelCallback !== undefined || hasHook(support.plugins, 'afterModelCallback');
}

async function beforeModel({ agent, context, request, support }: RequestDraft): Promise<LlmResponse | undefined> {
  return (
    (await callPlugins(support.plugins, 'beforeModelCallback', { callbackContext: context, llmRequest: request })) ??
    (await callCallbacks(agent.beforeModelCallback, nameOf(agent, 'beforeModelCallback'), { context, request }))
  );
}

async function afterModel({ agent, context, support }: RequestDraft, response: LlmResponse): Promise<LlmResponse> {
  return (
    (await callPlugins(support.plugins, 'afterModelCallback', { callbackContext: context, llmResponse: response })) ??
    (await callCallbacks(agent.afterModelCallback, nameOf(agent, 'afterModelCallback'), { context, response })) ??
    response
  );
}

async function onModelError(
  { agent, context, request, support }: RequestDraft,
  error: TholeError,
): Promise<LlmResponse> {
  const answer =
    (await callPlugins(support.plugins, 'onModelErrorCallback', {
      callbackContext: context,
      llmRequest: request,
      error,
    })) ??
    (await callCallbacks(agent.onModelErrorCallback, nameOf(agent, 'onModelErrorCallback'), {
      context,
      request,
      error,
    }));
  if (!answer) throw error;
  return answer;
}

function nameOf(agent: { name: string }, callback: string): { agentName: string; callback: string } {
  return { agentName: agent.name, callback };
}

function noop(): void {}
