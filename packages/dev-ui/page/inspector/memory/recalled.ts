import type { Content, Event, Json, JsonObject } from '@thole/core';
import { quotedMemories } from './quoted-memories.ts';

/** One memory as it was handed to the model. */
export interface RecalledMemory {
  text: string;
  author?: string | undefined;
  /** ISO 8601, or a heading of the block. */
  time?: string | undefined;
  /** From 0 to 1; undefined if the tool does not return it. */
  relevance?: number | undefined;
  /** Undefined if the tool does not return it. */
  score?: number | undefined;
  /** No longer true. */
  ended: boolean;
}

/** What was recalled at one place of a turn, and why. */
export interface Recall {
  /** Names it among the recalls of the turn. */
  id: string;
  by: string;
  /** What was looked for, where it is known. */
  query?: string | undefined;
  eventId?: string | undefined;
  /** Why nothing was found, as the tool said it. */
  problem?: string | undefined;
  memories: RecalledMemory[];
}

/** What memory gave to a turn: what its tools answered, and what was put into the request before the message. */
export function recallsOf(turn: readonly Event[], contents: readonly Content[] = []): Recall[] {
  const queries = new Map<string, string>();
  const recalls: Recall[] = [];
  for (const { id: eventId, content } of turn) {
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      const query = functionCall?.args['query'];
      if (functionCall?.id !== undefined && typeof query === 'string') queries.set(functionCall.id, query);
      if (functionResponse && isRecall(functionResponse.name, functionResponse.response)) {
        const { id = functionResponse.name, name, response } = functionResponse;
        recalls.push({ ...answered(response), id: `${eventId} ${id}`, by: name, query: queries.get(id), eventId });
      }
    }
  }
  return [...preloads(contents), ...recalls];
}

function isRecall(name: string, { memories }: JsonObject): boolean {
  return name === 'load_memory' || Array.isArray(memories);
}

function answered({ memories, error }: JsonObject): Pick<Recall, 'memories' | 'problem'> {
  const all = Array.isArray(memories) ? memories : [];
  return {
    memories: all.filter(isObject).map(toRecalled),
    ...(typeof error === 'string' && { problem: error }),
  };
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toRecalled({ text, content, author, time, timestamp, until, relevance, score }: JsonObject): RecalledMemory {
  return {
    text: typeof text === 'string' ? text : textIn(content),
    ...(typeof author === 'string' && { author }),
    ...(typeof (time ?? timestamp) === 'string' && { time: (time ?? timestamp) as string }),
    ...(typeof relevance === 'number' && { relevance }),
    ...(typeof score === 'number' && { score }),
    ended: until !== undefined,
  };
}

function textIn(content: Json | undefined): string {
  const { parts } = (content ?? {}) as Content;
  return (parts ?? []).map((part) => part.text ?? '').join('');
}

function preloads(contents: readonly Content[]): Recall[] {
  const memories = contents.flatMap(({ parts }) => (parts ?? []).flatMap(({ text }) => quotedMemories(text ?? '')));
  return memories.length === 0 ? [] : [{ id: 'preloaded', by: 'preload_memory', memories }];
}
