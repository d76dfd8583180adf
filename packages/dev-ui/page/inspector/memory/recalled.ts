import type { Content, Event, Json, JsonObject } from '@thole/core';
import { quotedMemories } from './quoted-memories.ts';

/** One memory as the model received it. */
export interface RecalledMemory {
  text: string;
  author?: string | undefined;
  /** ISO 8601, or a heading of the block. */
  time?: string | undefined;
  /** 0 to 1. Undefined if the tool does not return it. */
  relevance?: number | undefined;
  /** Undefined if the tool does not return it. */
  score?: number | undefined;
  /** True if the fact has ended. */
  ended: boolean;
}

/** The memories recalled at one place of a turn. */
export interface Recall {
  /** Identifies the recall within the turn. */
  id: string;
  /** Name of the tool. */
  by: string;
  /** The query, if it is known. */
  query?: string | undefined;
  eventId?: string | undefined;
  /** The error of the tool. */
  problem?: string | undefined;
  memories: RecalledMemory[];
}

/** Returns the memories that a turn used: answers of memory tools, and quotes that were added before the message. */
export function recallsOf(turn: readonly Event[], contents: readonly Content[] = []): Recall[] {
  const queries = new Map<string, string>();
  const recalls: Recall[] = [];
  for (const { id: eventId, content } of turn) {
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      const query = functionCall?.args['query'];
      if (functionCall?.id !== undefined && typeof query === 'string') queries.set(functionCall.id, query);
      if (functionResponse && isRecall(functionResponse.name, functionResponse.response)) {
        const { id = functionResponse.name, name, response } = functionResponse;
        recalls.push({ ...resultOf(response), id: `${eventId} ${id}`, by: name, query: queries.get(id), eventId });
      }
    }
  }
  return [...preloadedRecalls(contents), ...recalls];
}

function isRecall(name: string, { memories }: JsonObject): boolean {
  return name === 'load_memory' || Array.isArray(memories);
}

function resultOf({ memories, error }: JsonObject): Pick<Recall, 'memories' | 'problem'> {
  const all = Array.isArray(memories) ? memories : [];
  return {
    memories: all.filter(isObject).map(toRecalledMemory),
    ...(typeof error === 'string' && { problem: error }),
  };
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toRecalledMemory({
  text,
  content,
  author,
  time,
  timestamp,
  until,
  relevance,
  score,
}: JsonObject): RecalledMemory {
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

function preloadedRecalls(contents: readonly Content[]): Recall[] {
  const memories = contents.flatMap(({ parts }) => (parts ?? []).flatMap(({ text }) => quotedMemories(text ?? '')));
  return memories.length === 0 ? [] : [{ id: 'preloaded', by: 'preload_memory', memories }];
}
