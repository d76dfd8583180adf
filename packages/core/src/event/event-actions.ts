import { EMPTY_OBJECT } from '../json/copy-json.ts';
import type { Json, JsonObject } from '../json/json.ts';

/** The effects of an event. The four maps are always present. */
export interface EventActions {
  /** Changed state keys with their prefixes. Null deletes a key. */
  stateDelta: { [key: string]: Json };
  /** Saved version by file name. */
  artifactDelta: { [filename: string]: number };
  requestedAuthConfigs: { [functionCallId: string]: Json };
  requestedToolConfirmations: { [functionCallId: string]: Json };
  /** True if the tool's answer is the run's answer: the model is not called again to summarize it. */
  skipSummarization?: boolean | undefined;
  transferToAgent?: string | undefined;
  /** True to end every enclosing `LoopAgent`. */
  escalate?: boolean | undefined;
  /** A summary of earlier events. Set by the runtime only. */
  compaction?: EventCompaction | undefined;
  endOfAgent?: boolean | undefined;
  agentState?: JsonObject | undefined;
  /** Set by the runtime only. Undoes this event and all events since the first event of the named invocation. */
  rewindBeforeInvocationId?: string | undefined;
}

/** A map that the actions of every event have. */
export type ActionMapName = {
  [name in keyof EventActions]-?: undefined extends EventActions[name] ? never : name;
}[keyof EventActions];

/** Returns the four maps of an event's actions, each created by `create`. */
export function createActionMaps<T>(create: (name: ActionMapName) => T): Record<ActionMapName, T> {
  return {
    stateDelta: create('stateDelta'),
    artifactDelta: create('artifactDelta'),
    requestedAuthConfigs: create('requestedAuthConfigs'),
    requestedToolConfirmations: create('requestedToolConfirmations'),
  };
}

/** Actions without effects. Stored events without effects share them. */
export const NO_ACTIONS: EventActions = Object.freeze(createActionMaps(() => EMPTY_OBJECT as { [key: string]: never }));

/** Names of the four maps. */
export const actionMapNames: readonly ActionMapName[] = Object.values(createActionMaps((name) => name));

/**
 * A summary that replaces the older events with these ids, all within the range of `seq`. The id of an earlier compaction
 * record means all events that the record covers.
 */
export interface EventCompaction {
  startSeq: number;
  endSeq: number;
  eventIds: string[];
  compactedContent: JsonObject;
  /** Times of the first and the last covered event in seconds, for clients of ADK. The runner does not use them. */
  startTimestamp?: number | undefined;
  endTimestamp?: number | undefined;
}
