import type { Json, JsonObject } from '../json/json.ts';

/** What an event does besides being said. The four maps are always there. */
export interface EventActions {
  /** Changed state keys with their prefixes; null deletes. */
  stateDelta: { [key: string]: Json };
  /** File name → version saved. */
  artifactDelta: { [filename: string]: number };
  requestedAuthConfigs: { [functionCallId: string]: Json };
  requestedToolConfirmations: { [functionCallId: string]: Json };
  /** The tool's answer is the run's: the model is not asked to put it into words. */
  skipSummarization?: boolean | undefined;
  transferToAgent?: string | undefined;
  /** Ends the enclosing loop. */
  escalate?: boolean | undefined;
  /** Made by the runtime alone. */
  compaction?: EventCompaction | undefined;
  endOfAgent?: boolean | undefined;
  agentState?: JsonObject | undefined;
  /** Made by the runtime alone: this and every event since the named invocation's first are undone. */
  rewindBeforeInvocationId?: string | undefined;
}

/** A summary in the place of older events: those with these ids, all of them within the range of `seq`. */
export interface EventCompaction {
  startSeq: number;
  endSeq: number;
  eventIds: string[];
  compactedContent: JsonObject;
}
