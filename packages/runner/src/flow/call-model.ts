import { createEventActions, TholeError } from '@thole/core';
import type { Event, Llm, LlmResponse } from '@thole/core';
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { findModel } from '../request/find-model.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { checkFinal, checkResponse } from './check-response.ts';

/** A model's whole answer; `id` is that of its event and of the partials that were shown. */
export interface ModelAnswer {
  readonly id: string;
  readonly response: LlmResponse;
}

/**
 * Asks the model once, with the hooks around it, and yields partial events where streaming is wanted. Throws what the model
 * throws, `MODEL_FAILED` around an error that is not ours, `MODEL_INCOMPLETE`, `MODEL_PROTOCOL` or `MODEL_EMPTY` where it
 * breaks its promise, and `LLM_CALL_LIMIT`.
 */
export async function* callModel(draft: RequestDraft): AsyncGenerator<Event, ModelAnswer, Event> {
  const id = draft.context.runtime.newId('event');
  const instead = hooksOf(draft).before && (await beforeModel(draft));
  if (instead) return { id, response: instead };
  const model = modelOf(draft);
  draft.request.model = model.model;
  draft.context.countLlmCall();
  let response: LlmResponse;
  const asked = yield* ask(draft, model, id);
  if ('error' in asked) response = await onModelError(draft, asked.error);
  else response = asked.final;
  return { id, response: hooksOf(draft).after ? await afterModel(draft, response) : response };
}

type Asked = { final: LlmResponse } | { error: TholeError };

// An error is an answer here, so that what hooks and the reader's side throw while partials are shown is not taken for one.
async function* ask(draft: RequestDraft, model: Llm, id: string): AsyncGenerator<Event, Asked, Event> {
  const { signal, runConfig } = draft.context;
  const stream = runConfig.streamingMode === 'sse';
  const listened = hooksOf(draft).after;
  let responses: AsyncIterator<LlmResponse> | undefined;
  let final: LlmResponse | undefined;
  let isDone = false;
  try {
    for (;;) {
      let response: LlmResponse;
      try {
        responses ??= model.generateContentAsync(draft.request, { stream, signal })[Symbol.asyncIterator]();
        const step = await responses.next();
        signal.throwIfAborted();
        if (step.done) {
          isDone = true;
          checkFinal(final, model.model);
          return { final };
        }
        response = step.value;
        checkResponse(response, final, model.model);
      } catch (error) {
        signal.throwIfAborted();
        return { error: asModelError(error, model) };
      }
      if (!response.partial) final = response;
      else if (stream) yield partialEvent(draft, id, listened ? await afterModel(draft, response) : response);
    }
  } finally {
    if (!isDone) leave(responses);
  }
}

// Not waited for: a model that broke its promise, or ignores its signal, may break this one too.
function leave(responses: AsyncIterator<LlmResponse> | undefined): void {
  const leaving = async (): Promise<unknown> => responses?.return?.();
  leaving().catch(noop);
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

function hooksOf({ agent, support }: RequestDraft): { before: boolean; after: boolean } {
  return {
    before: agent.beforeModelCallback !== undefined || hasHook(support.plugins, 'beforeModelCallback'),
    after: agent.afterModelCallback !== undefined || hasHook(support.plugins, 'afterModelCallback'),
  };
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
