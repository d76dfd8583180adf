import type { JsonObject, ThinkingConfig } from '@thole/core';
import type { RequestTarget } from './anthropic-options.ts';

/** Minimum budget of the API. */
const MIN_BUDGET = 1024;

/** Budgets of the thinking levels, for models that need a budget. */
const BUDGETS: { readonly [level: string]: number } = { minimal: 1024, low: 2048, medium: 8192, high: 16_384 };

/** Models that accept a budget of thoughts and no effort: Claude 3.7 to 4.5. */
const BUDGET_MODELS = /claude-(3-7-|(opus|sonnet|haiku)-4(-[015])?(-\d{8}|@\d{8}|-v\d|$))/;

/**
 * Returns the settings `thinking` and `effort`. Models since Claude 4.6 decide how much they think, and accept an
 * effort; older models accept a budget. Thoughts are left out if a call of a tool is forced. With a budget, they are also
 * left out if the last step of the history does not begin with thoughts, because another model made it. `leaveOut` is
 * called with the names of settings that are not sent.
 */
export function toThinking(
  config: ThinkingConfig | undefined,
  p: { target: RequestTarget; messages: readonly JsonObject[]; isForced: boolean },
): { thinking?: JsonObject | undefined; effort?: string | undefined } {
  const { includeThoughts, thinkingBudget: budget, thinkingLevel } = config ?? {};
  const level = thinkingLevel && !/unspecified/i.test(thinkingLevel) ? thinkingLevel.toLowerCase() : undefined;
  if (budget === 0) return { thinking: { type: 'disabled' } };
  const isRequested = includeThoughts === true || level !== undefined || budget !== undefined;
  if (!isRequested) return {};
  const acceptsBudget = BUDGET_MODELS.test(p.target.model);
  const effort = level === undefined || acceptsBudget ? undefined : level === 'minimal' ? 'low' : level;
  if (p.isForced || (acceptsBudget && !beginsWithThoughts(p.messages))) {
    p.target.leaveOut?.('thinkingConfig');
    return { effort };
  }
  const display = includeThoughts === false ? { display: 'omitted' } : {};
  if (acceptsBudget) {
    const tokens = budget !== undefined && budget > 0 ? budget : (BUDGETS[level ?? ''] ?? BUDGETS['medium']!);
    return { thinking: { type: 'enabled', budget_tokens: Math.max(MIN_BUDGET, tokens), ...display } };
  }
  if (budget !== undefined && budget > 0) p.target.leaveOut?.('thinkingConfig.thinkingBudget');
  return { thinking: { type: 'adaptive', ...(includeThoughts && { display: 'summarized' }), ...display }, effort };
}

/**
 * Returns the settings with a budget below `maxTokens`, as the API requires: half of `maxTokens` instead of a larger budget.
 * Undefined if that leaves no room for thoughts.
 */
export function fitBudget(thinking: JsonObject | undefined, maxTokens: number): JsonObject | undefined {
  const budget = thinking?.['budget_tokens'];
  if (typeof budget !== 'number' || budget < maxTokens) return thinking;
  if (maxTokens <= MIN_BUDGET) return undefined;
  return { ...thinking, budget_tokens: Math.max(MIN_BUDGET, Math.floor(maxTokens / 2)) };
}

/** True unless the history ends with answers to calls whose message has no thoughts before the calls. */
function beginsWithThoughts(messages: readonly JsonObject[]): boolean {
  const [callMessage, last] = messages.slice(-2).map(({ content }) => (Array.isArray(content) ? content : []));
  const isAnswers = last?.some((block) => typeOf(block) === 'tool_result');
  return !isAnswers || /^(redacted_)?thinking$/.test(typeOf(callMessage?.[0]));
}

const typeOf = (block: unknown): string => String((block as { type?: unknown } | undefined)?.type);
