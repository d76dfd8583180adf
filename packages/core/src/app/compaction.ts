import type { Content } from '../content/content.ts';
import type { Event } from '../event/event.ts';
import type { Usage } from '../model/llm-response.ts';
import type { Logger } from '../runtime/runtime.ts';

/** Events to summarize. */
export interface SummaryRequest {
  /** The events, oldest first: messages, answers, calls and their results. */
  events: readonly Event[];
  /** The summary of all earlier events, which the new summary replaces. Undefined for the first summary. */
  previousSummary?: string | undefined;
  signal: AbortSignal;
  logger: Logger;
}

/** A summary of events. */
export interface Summary {
  /** The summary. Its text replaces the events in prompts. A content without text is rejected. */
  content: Content;
  /** Tokens that the summary has cost. */
  usageMetadata?: Usage | undefined;
}

/**
 * Summarizes old events of a session (contract 26). Others implement this interface, so it only ever gains optional members.
 * `LlmSummarizer` of the runner calls a model.
 */
export interface Summarizer {
  /** Returns the summary. An error leaves the session unchanged. It is logged and never fails a run. */
  summarize(request: SummaryRequest): Promise<Summary>;
}

/**
 * Rules for the compaction of sessions: by invocations (`interval`), by tokens (`tokenThreshold` and `eventRetention`), or
 * both. With both, the rule by tokens is applied first.
 */
export interface CompactionOptions {
  /** Number of new invocations after which these invocations are summarized. At least 1. */
  interval?: number | undefined;
  /** Number of earlier invocations that the summarizer reads again, for continuity. Only with `interval`. Default: 0. */
  overlap?: number | undefined;
  /**
   * Minimum number of prompt tokens of the last model call. From this number on, older events are summarized. The number is
   * estimated for a model that does not count tokens. At least 1.
   */
  tokenThreshold?: number | undefined;
  /** Number of newest events that are not summarized. Only with `tokenThreshold`, and required there. */
  eventRetention?: number | undefined;
  /** Default: an `LlmSummarizer` with the model of the root agent. */
  summarizer?: Summarizer | undefined;
}
