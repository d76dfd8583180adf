import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Bm25Weights } from '../index/bm25.ts';
import { defaultTunings } from '../signals/signals.ts';
import type { RecallTuning, RecallTunings, RecallWeights } from '../signals/signals.ts';

/** Changes to the published tunings. Missing values do not change. */
export interface RecallTuningOptions {
  /** For memories whose average turn has at most `chatLength` words. */
  chat?: RecallTuningChange | undefined;
  /** For all other memories. */
  messages?: RecallTuningChange | undefined;
  /** Largest average number of words per turn of a chat, after analysis. Default: 40. */
  chatLength?: number | undefined;
}

/** A change to the weights of one kind of memory. */
export interface RecallTuningChange {
  weights?: { readonly [signal in keyof RecallWeights]?: number | undefined } | undefined;
  /** `k1`: effect of repeated words, above 0. `b`: effect of an entry's length, from 0 to 1. */
  bm25?: { readonly k1?: number | undefined; readonly b?: number | undefined } | undefined;
}

const tuningChangeNames = optionNames<RecallTuningChange>({ weights: true, bm25: true });

/** Returns the published tunings with these changes. Throws `INVALID_INPUT` for a weight that is not a finite number. */
export function resolveTunings({ chat, messages, chatLength }: RecallTuningOptions): RecallTunings {
  if (chatLength !== undefined && !(typeof chatLength === 'number' && chatLength >= 0))
    throw invalidInput('chatLength', 'a number ≥ 0', chatLength);
  return {
    chat: applyChange(defaultTunings.chat, chat, 'chat'),
    messages: applyChange(defaultTunings.messages, messages, 'messages'),
    chatLength: chatLength ?? defaultTunings.chatLength,
  };
}

function applyChange(tuning: RecallTuning, change: RecallTuningChange | undefined, argument: string): RecallTuning {
  if (change === undefined) return tuning;
  rejectUnknownOptions(change, tuningChangeNames, argument);
  return {
    weights: mergeNumbers(tuning.weights, change.weights, `${argument}.weights`),
    bm25: assertBm25(mergeNumbers(tuning.bm25, change.bm25, `${argument}.bm25`), `${argument}.bm25`),
  };
}

function mergeNumbers<T extends object>(
  defaults: T,
  change: { readonly [K in keyof T]?: number | undefined } = {},
  argument: string,
): T {
  rejectUnknownOptions(change, Object.keys(defaults), argument);
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries)
    if (!Number.isFinite(value)) throw invalidInput(`${argument}.${name}`, 'a finite number', value);
  return { ...defaults, ...(Object.fromEntries(entries) as Partial<T>) };
}

function assertBm25(weights: Bm25Weights, argument: string): Bm25Weights {
  const { k1, b } = weights;
  if (k1 > 0 && b >= 0 && b <= 1) return weights;
  throw new TholeError('INVALID_INPUT', `${argument} must have a k1 above 0 and a b from 0 to 1.`);
}
