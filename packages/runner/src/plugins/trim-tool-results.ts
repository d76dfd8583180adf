import { getFunctionResponses } from '@thole/core';
import { assertCount, newestFirst, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Content, EventLog, FunctionResponse, Part, Plugin } from '@thole/core';
import type { HookParams } from '../hooks/call-hooks.ts';

/** Options of `trimToolResults`. */
export interface TrimToolResultsOptions {
  /** Number of newest invocations whose results stay complete, including the current one. At least 1. Default: 1. */
  olderThan?: number | undefined;
  /** Maximum size of an older result in bytes, as JSON in UTF-8. 0 leaves only the note. */
  maxBytes: number;
  /** Name of the plugin, which errors contain. Default: `trim_tool_results`. */
  name?: string | undefined;
}

const names = optionNames<TrimToolResultsOptions>({ olderThan: true, maxBytes: true, name: true });

/**
 * Returns a plugin that cuts large results of tools in older invocations, in prompts only. A cut result has the beginning of
 * its JSON under `beginning`, and a note under `note`; its files are left out. Stored events do not change. Throws
 * `INVALID_INPUT` for wrong options.
 */
export function trimToolResults(options: TrimToolResultsOptions): Plugin {
  rejectUnknownOptions(options, names, 'trimToolResults');
  const { olderThan = 1, maxBytes, name = 'trim_tool_results' } = options;
  assertCount('olderThan', olderThan, 1);
  assertCount('maxBytes', maxBytes);
  // The contents of a prompt share their parts from turn to turn, so each result is measured once.
  const trimmed = new WeakMap<Part, Part>();
  const trim = (part: Part): Part => {
    let result = trimmed.get(part);
    if (!result) trimmed.set(part, (result = trimPart(part, maxBytes)));
    return result;
  };
  return {
    name,
    beforeModelCallback({ callbackContext, llmRequest }: HookParams<'beforeModelCallback'>): void {
      const large = llmRequest.contents.flatMap(({ parts = [] }) =>
        parts.filter((part) => part.functionResponse?.id !== undefined && trim(part) !== part),
      );
      const old = new Set(large.map(({ functionResponse }) => functionResponse!.id!));
      const { history, invocationId } = callbackContext;
      for (const id of recentAnswers(history, { count: olderThan, current: invocationId, ids: old })) old.delete(id);
      if (old.size === 0) return;
      const isOld = ({ functionResponse }: Part): boolean => old.has(functionResponse?.id ?? '');
      llmRequest.contents = llmRequest.contents.map((content) => trimContent(content, isOld, trim));
    },
  };
}

function trimContent(content: Content, isOld: (part: Part) => boolean, trim: (part: Part) => Part): Content {
  const { parts } = content;
  if (!parts?.some((part) => isOld(part) && trim(part) !== part)) return content;
  return { ...content, parts: parts.map((part) => (isOld(part) ? trim(part) : part)) };
}

/** Returns which of these calls the newest invocations answer. Reads the history back to the oldest of the answers. */
function recentAnswers(
  history: EventLog,
  { count, current, ids }: { count: number; current: string; ids: ReadonlySet<string> },
): Set<string> {
  const invocations = new Set([current]);
  const missing = new Set(ids);
  const recent = new Set<string>();
  for (const event of newestFirst(history)) {
    if (missing.size === 0) break;
    if (event.content === undefined) continue;
    // Invocations may overlap, so older events may belong to a counted invocation.
    const isRecent = invocations.has(event.invocationId) || invocations.size < count;
    if (isRecent) invocations.add(event.invocationId);
    for (const { id } of getFunctionResponses(event))
      if (id !== undefined && missing.delete(id) && isRecent) recent.add(id);
  }
  return recent;
}

/** Returns the part unchanged if it is small, or if the note needs more space than the cut saves. */
function trimPart(part: Part, maxBytes: number): Part {
  const { response, parts, ...rest } = part.functionResponse as FunctionResponse;
  const json = toBytes(response);
  const files = parts?.length ? toBytes(parts).length : 0;
  if (json.length + files <= maxBytes) return part;
  const isCut = json.length > maxBytes;
  const what = isCut
    ? `This older result had ${json.length} bytes and was cut.`
    : 'Files of this older result were left out.';
  const note = `${what} Call ${rest.name} again if you need all of it.`;
  const beginning = new TextDecoder().decode(json.subarray(0, maxBytes), { stream: true });
  const shown = isCut ? { ...(beginning !== '' && { beginning }), note } : { ...response, note };
  if (toBytes(shown).length >= json.length + files) return part;
  return { ...part, functionResponse: { ...rest, response: shown } };
}

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
