import type { Event, Json } from '@thole/core';

/** Time, tokens, models and cost of a turn, from its events. */
export interface TurnFacts {
  invocationId: string;
  /** From a message to the last event before the next message, in milliseconds, without waits for answers from outside. */
  durationMs: number;
  /** Sum over the models' answers. Undefined if no answer has token counts. */
  tokensIn: number | undefined;
  /** Sum over the models' answers, with thoughts. Undefined if no answer has token counts. */
  tokensOut: number | undefined;
  /** Names of the models, in the order of their answers. */
  models: readonly string[];
  /** Sum of `customMetadata.cost`. Undefined if no event has a cost. */
  cost: number | undefined;
}

/** Returns the facts of each turn with more than the user's message. */
export function turnFacts(events: readonly Event[]): TurnFacts[] {
  const turns = new Map<string, TurnDraft>();
  for (const event of events) {
    if (event.partial || !event.invocationId) continue;
    const turn = turns.get(event.invocationId);
    if (turn) addEvent(turn, event);
    else turns.set(event.invocationId, addEvent(begin(event), event));
  }
  return [...turns.values()].filter(({ isAnswered }) => isAnswered);
}

type TurnDraft = { -readonly [K in keyof TurnFacts]: TurnFacts[K] } & {
  models: string[];
  isAnswered: boolean;
  lastAt: number;
};

function begin({ invocationId, timestamp }: Event): TurnDraft {
  return {
    invocationId,
    durationMs: 0,
    tokensIn: undefined,
    tokensOut: undefined,
    cost: undefined,
    models: [],
    isAnswered: false,
    lastAt: timestamp,
  };
}

function addEvent(turn: TurnDraft, event: Event): TurnDraft {
  const { author, timestamp, usageMetadata: usage, modelVersion, customMetadata } = event;
  // The time before a user's message, or before the answer to a timer, is not part of the run.
  if (author === 'user' || (author === 'system' && event.content !== undefined)) {
    turn.lastAt = timestamp;
    return turn;
  }
  turn.isAnswered = true;
  turn.durationMs += Math.max(0, timestamp - turn.lastAt) * 1_000;
  turn.lastAt = Math.max(turn.lastAt, timestamp);
  turn.tokensIn = sum(turn.tokensIn, usage?.promptTokenCount, usage?.toolUsePromptTokenCount);
  turn.tokensOut = sum(turn.tokensOut, usage?.candidatesTokenCount, usage?.thoughtsTokenCount);
  turn.cost = sum(turn.cost, numberOf(customMetadata?.['cost']));
  if (modelVersion !== undefined && !turn.models.includes(modelVersion)) turn.models.push(modelVersion);
  return turn;
}

function sum(...counts: (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
