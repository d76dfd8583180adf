import type { Part } from '@thole/core';
import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { appName, userId } from './location.ts';
import { openKey } from './session.ts';
import { readStored, writeStored } from './stored.ts';

/** An unsent message. */
export interface Draft {
  text: string;
  files: readonly Part[];
}

const empty: Draft = { text: '', files: [] };
const drafts: Signal<ReadonlyMap<string, Draft>> = signal<ReadonlyMap<string, Draft>>(new Map());

/** The key of the draft: the open session, or app and user if no session is open. */
export const draftKey: ReadonlySignal<string> = computed(
  () => openKey.value ?? JSON.stringify([appName.value ?? '', userId.value]),
);

/** The draft of the open session. Its text survives a reload. */
export const draft: ReadonlySignal<Draft> = computed(
  () => drafts.value.get(draftKey.value) ?? storedDraft(draftKey.value),
);

const draftAt = (key: string): Draft => drafts.peek().get(key) ?? storedDraft(key);

export function writeDraft(change: Partial<Draft>, key: string = draftKey.peek()): void {
  const next = { ...draftAt(key), ...change };
  drafts.value = new Map(drafts.peek()).set(key, next);
  writeStored(`draft:${key}`, next.text === '' ? undefined : next.text);
}

/** Adds a message that was not sent to a draft, before text and files that were added meanwhile. */
export function returnToDraft(message: Draft, key: string): void {
  const { text, files } = draftAt(key);
  const texts = [message.text, text].filter((each) => each.trim() !== '');
  writeDraft({ text: texts.join('\n\n'), files: [...message.files, ...files] }, key);
}

/** Moves a draft to the key of a new session. */
export function moveDraft(from: string, to: string): void {
  writeDraft(draftAt(from), to);
  writeDraft(empty, from);
}

/** Removes the draft of a deleted session. */
export function forgetDraft(key: string): void {
  writeDraft(empty, key);
}

function storedDraft(key: string): Draft {
  const text = readStored(`draft:${key}`);
  return text === undefined ? empty : { text, files: [] };
}

/** Moves text that was written before the page knew the apps to the app that opens. */
export function followDrafts(): void {
  effect(() => {
    if (appName.value === undefined) return;
    const from = JSON.stringify(['', userId.value]);
    const early = draftAt(from);
    if (early.text === '' && early.files.length === 0) return;
    returnToDraft(early, draftKey.peek());
    writeDraft(empty, from);
  });
}
