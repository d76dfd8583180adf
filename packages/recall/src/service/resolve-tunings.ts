import { TholeError } from '@thole/core';
import { invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { Bm25Weights } from '../index/bm25.ts';
import { defaultTunings } from '../signals/signals.ts';
import type { RecallTuning, RecallTunings, RecallWeights } from '../signals/signals.ts';

/** What differs from the published weights; what is not named stays. */
export interface RecallTuningOptions {
  /** Where the average turn has at most `chatLength` words after analysis. */
  chat?: RecallTuningChange | undefined;
  /** Everywhere else. */
  messages?: RecallTuningChange | undefined;
  /** 40. */
  chatLength?: number | undefined;
}

/** A change to the weights of one kind of memory. */
export interface RecallTuningChange {
  weights?: { readonly [signal in keyof RecallWeights]?: number | undefined } | undefined;
  /** `k1`: how much a word's repetition counts; `b`, from 0 to 1: how much an entry's length does. */
  bm25?: { readonly k1?: number | undefined; readonly b?: number | undefined } | undefined;
}

/** The published weights with these changes; `INVALID_INPUT` for a weight that is no number. */
export function resolveTunings({ chat, messages, chatLength }: RecallTuningOptions): RecallTunings {
  if (chatLength !== undefined && !(chatLength >= 0))
    throw invalidInput('chatLength', 'a number from 0 up', chatLength);
  return {
    chat: changed(defaultTunings.chat, chat, 'chat'),
    messages: changed(defaultTunings.messages, messages, 'messages'),
    chatLength: chatLength ?? defaultTunings.chatLength,
  };
}

function changed(tuning: RecallTuning, change: RecallTuningChange | undefined, argument: string): RecallTuning {
  if (!change) return tuning;
  rejectUnknownOptions(change, ['weights', 'bm25'], argument);
  return {
    weights: merged(tuning.weights, change.weights, `${argument}.weights`),
    bm25: checked(merged(tuning.bm25, change.bm25, `${argument}.bm25`), `${argument}.bm25`),
  };
}

function merged<T extends object>(
  defaults: T,
  change: { readonly [K in keyof T]?: number | undefined } = {},
  argument: string,
): T {
  rejectUnknownOptions(change, Object.keys(defaults), argument);
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  for (const [name, value] of given)
    if (!Number.isFinite(value)) throw invalidInput(`${argument}.${name}`, 'a number', value);
  return { ...defaults, ...(Object.fromEntries(given) as Partial<T>) };
}

function checked(weights: Bm25Weights, argument: string): Bm25Weights {
  const { k1, b } = weights;
  if (k1 > 0 && b >= 0 && b <= 1) return weights;
  throw new TholeError('INVALID_INPUT', `${argument} must have a k1 over 0 and a b from 0 to 1.`);
}
