import type { RequestDraft } from './request-draft.ts';

/** Adds the hint for prompt caching if the app has `contextCache`. */
export function addContextCache({ request, support }: RequestDraft): void {
  const hint = support.contextCacheHint();
  if (hint) request.contextCache = hint;
}
