import { writeDraft } from '../state/drafts.ts';
import { selectedEventId, selectEvent } from '../state/location.ts';

/** If another letter follows within this time, in milliseconds, the user is typing a word. */
const WORD_MS = 1_500;

let typed = { letters: '', at: -Infinity, from: undefined as string | undefined };

/** True for `j` and `k` in the empty message box, where they select the next and previous event. */
export function selectsFromMessageBox(key: KeyboardEvent): boolean {
  if (!isEmptyBox(key.target) || !'jk'.includes(key.key)) return false;
  const continues = key.timeStamp - typed.at < WORD_MS;
  typed = {
    letters: (continues && !key.repeat ? typed.letters : '') + key.key,
    at: key.timeStamp,
    from: continues ? typed.from : selectedEventId.peek(),
  };
  return true;
}

/** Inserts letters that were handled as shortcuts if they begin a word: "just" must not become "ust". */
export function restoreLetters(key: KeyboardEvent): void {
  const { letters, at, from } = typed;
  if (key.key === 'Shift') return;
  typed = { letters: '', at: -Infinity, from: undefined };
  if (!isEmptyBox(key.target) || key.key.length !== 1 || key.timeStamp - at >= WORD_MS) return;
  const box = key.target as HTMLTextAreaElement;
  // Sets the value at once, so that the browser inserts the new letter after these letters.
  box.value = letters;
  writeDraft({ text: letters });
  selectEvent(from);
}

function isEmptyBox(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.id === 'message' && target.value === '';
}
