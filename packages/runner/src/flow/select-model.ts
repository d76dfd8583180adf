import { assertName } from '@thole/core/kit';
import type { Llm } from '@thole/core';
import { findModel, noModelError } from '../request/find-model.ts';
import type { RequestDraft } from '../request/request-draft.ts';

/** The model that a request calls. */
export interface SelectedModel {
  readonly model: Llm;
  /** The name that the request contains. */
  readonly name: string;
  /** True if a callback has named another model than that of the agent. */
  readonly isOther: boolean;
}

/** Returns the name of the agent's model, which callbacks see in the request and may replace. */
export function configuredName(draft: RequestDraft): string {
  return nameOf(configuredModel(draft));
}

/**
 * Returns the model that the request names. If no factory of the runner supports its name, the agent's model object is called with it.
 * Throws `MODEL_UNKNOWN` if the agent has no model object, and `INVALID_INPUT` if a callback has set something else than a name.
 */
export function selectModel(draft: RequestDraft): SelectedModel {
  const { request, support } = draft;
  const configured = configuredModel(draft);
  const ownName = nameOf(configured);
  const { model: name = ownName } = request;
  const isOther = name !== ownName;
  // The agent's own name may be longer than other names: a `FallbackLlm` has the names of all its models.
  if (isOther) assertName('model of the request', name);
  if (typeof configured !== 'string' && !(isOther && support.supportsModel(name)))
    return { model: configured, name, isOther };
  const model = support.model(name);
  return { model, name: model.model, isOther };
}

function configuredModel({ agent, context }: RequestDraft): Llm | string {
  const model = findModel(agent, context.tree);
  if (model === undefined) throw noModelError(agent);
  return model;
}

function nameOf(model: Llm | string): string {
  return typeof model === 'string' ? model : model.model;
}
