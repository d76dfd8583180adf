import type { JsonObject, ThinkingConfig } from '@thole/core';
import type { RequestTarget } from './anthropic-options.ts';

/** The least budget that the API takes. */
const MIN_BUDGET = 1024;

/** Budgets of the levels, for models that do not choose their own. */
const BUDGETS: { readonly [level: string]: number } = { minimal: 1024, low: 2048, medium: 8192, high: 16_384 };

/** Models that take a budget of thoughts and no effort: Claude 3.7 to 4.5. */
const WITH_BUDGET = /claude-(3-7-|(opus|sonnet|haiku)-4(-[015])?(-\d{8}|@\d{8}|-v\d|$))/;

/**
 * Returns the settings `thinking` and `effort`. Models since Claude 4.6 decide themselves how much to think, and take an
 * effort; older ones take a budget. A forced call of a tool excludes thoughts. So does a budget, if the last step of the
 * history has no thoughts to begin with, because another model made it. `leaveOut` gets the names of what is not sent.
 */
export function toThinking(
  config: ThinkingConfig | undefined,
  p: { target: RequestTarget; messages: readonly JsonObject[]; isForced: boolean },
): { thinking?: JsonObject | undefined; effort?: string | undefined } {
  const { includeThoughts, thinkingBudget: budget, thinkingLevel } = config ?? {};
  const level = thinkingLevel && !/unspecified/i.test(thinkingLevel) ? thinkingLevel.toLowerCase() : undefined;
  if (budget === 0) return { thinking: { type: 'disabled' } };
  const wants = includeThoughts === true || level !== undefined || budget !== undefined;
  if (!wants) return {};
  const takesBudget = WITH_BUDGET.test(p.target.model);
  const effort = level === undefined || takesBudget ? undefined : level === 'minimal' ? 'low' : level;
  if (p.isForced || (takesBudget && !beginsWithThoughts(p.messages))) {
    p.target.leaveOut?.('thinkingConfig');
    return { effort };
  }
  const display = includeThoughts === false ? { display: 'omitted' } : {};
  if (takesBudget) {
    const tokens = budget !== undefined && budget > 0 ? budget : (BUDGETS[level ?? ''] ?? BUDGETS['medium']!);
    return { thinking: { type: 'enabled', budget_tokens: Math.max(MIN_BUDGET, tokens), ...display } };
  }
  if (budget !== undefined && budget > 0) p.target.leaveOut?.('thinkingConfig.thinkingBudget');
  return { thinking: { type: 'adaptive', ...(includeThoughts && { display: 'summarized' }), ...display }, effort };
}

/** True unless the history ends with answers to calls whose message has no thoughts before the calls. */
function beginsWithThoughts(messages: readonly JsonObject[]): boolean {
  const [before, last] = messages.slice(-2).map(({ content }) => (Array.isArray(content) ? content : []));
  const isAnswers = last?.some((block) => typeOf(block) === 'tool_result');
  return !isAnswers || /^(redacted_)?thinking$/.test(typeOf(before?.[0]));
}

const typeOf = (block: unknown): string => String((block as { type?: unknown } | undefined)?.type);
