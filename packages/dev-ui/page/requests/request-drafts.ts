import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Interrupt, Json } from '@thole/core';
import type { FieldProblems, FieldValues } from './read-fields.ts';

/** An answer that can be sent. */
export interface RequestAnswer {
  interrupt: Interrupt;
  value: Json;
  /** Paths of the fields of its form. */
  paths: readonly string[];
}

/** The unsent input for a request. It is stored here, because rows outside the view are not drawn. */
export interface RequestDraft {
  values: FieldValues;
  problems: FieldProblems;
  /** Set when the answer is ready to be sent together with other answers. */
  answer?: RequestAnswer | undefined;
}

const empty: RequestDraft = { values: {}, problems: {} };

/** Drafts by id of the request. */
const drafts: Signal<ReadonlyMap<string, RequestDraft>> = signal<ReadonlyMap<string, RequestDraft>>(new Map());

export function draftOf(id: string): RequestDraft {
  return drafts.value.get(id) ?? empty;
}

export function changeDraft(id: string, change: Partial<RequestDraft>): void {
  const next = new Map(drafts.peek());
  next.set(id, { ...(next.get(id) ?? empty), ...change });
  drafts.value = next;
}

/** Sets the value of a field and removes its problem. */
export function writeField(id: string, path: string, value: string | boolean): void {
  const { values, problems } = drafts.peek().get(id) ?? empty;
  const { [path]: _, ...others } = problems;
  changeDraft(id, { values: { ...values, [path]: value }, problems: others });
}

export function deleteDrafts(ids: readonly string[]): void {
  drafts.value = new Map([...drafts.peek()].filter(([id]) => !ids.includes(id)));
}
