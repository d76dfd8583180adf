import { writeDraft } from '../state/drafts.ts';
import { selectedEventId, selectEvent } from '../state/location.ts';

/** A letter that follows within this time, in milliseconds, means that a word is being typed. */
const WORD_MS = 1_500;

let walked = { letters: '', at: -Infinity, from: undefined as string | undefined };

/** True for `j` and `k` in the empty message box, where they select the next and previous event. */
export function walksFromBox(key: KeyboardEvent): boolean {
  if (!isEmptyBox(key.target) || !'jk'.includes(key.key)) return false;
  const goesOn = key.timeStamp - walked.at < WORD_MS;
  walked = {
    letters: (goesOn && !key.repeat ? walked.letters : '') + key.key,
    at: key.timeStamp,
    from: goesOn ? walked.from : selectedEventId.peek(),
  };
  return true;
}

/** Inserts letters that were used as keys if a word continues: "just" must not become "ust". */
export function giveLettersBack(key: KeyboardEvent): void {
  const { letters, at, from } = walked;
  if (key.key === 'Shift') return;
  walked = { letters: '', at: -Infinity, from: undefined };
  if (!isEmptyBox(key.target) || key.key.length !== 1 || key.timeStamp - at >= WORD_MS) return;
  const box = key.target as HTMLTextAreaElement;
  // At once, so that the browser inserts the new letter after them.
  box.value = letters;
  writeDraft({ text: letters });
  selectEvent(from);
}

function isEmptyBox(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.id === 'message' && target.value === '';
}
