import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** Unsaved text of an open form in the inspector. */
export interface FormDraft {
  text: string;
  /** The name of a new key of the state. */
  name: string;
}

/** The open forms by key. They are stored here, because a tab that is not shown is not drawn. */
export const formDrafts: Signal<ReadonlyMap<string, FormDraft>> = signal<ReadonlyMap<string, FormDraft>>(new Map());

/** Returns the key of a form from names, such as the session, the kind of form and the edited entry. */
export const draftKeyOf = (...names: readonly (string | undefined)[]): string => JSON.stringify(names);

/** Changes the text of a form, and opens it if it is closed. */
export function writeDraft(key: string, change: Partial<FormDraft>): void {
  const before = formDrafts.peek().get(key) ?? { text: '', name: '' };
  formDrafts.value = new Map(formDrafts.peek()).set(key, { ...before, ...change });
}

/** Closes a form. */
export function dropDraft(key: string): void {
  const next = new Map(formDrafts.peek());
  next.delete(key);
  formDrafts.value = next;
}
