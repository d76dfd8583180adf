import { commands } from '../state/commands.ts';
import { restoreLetters, selectsFromMessageBox } from './message-box-keys.ts';
import { paletteOpen, paletteQuery, togglePalette } from '../palette/palette-open.ts';
import { isComposing } from './is-composing.ts';

/**
 * Binds the keys of the commands. They work while no field has the focus; `j` and `k` also work in the empty message box.
 * `⌘K` (or `Ctrl K`) always opens or closes the palette.
 */
export function bindKeys(): void {
  addEventListener('keydown', (key) => {
    if (key.defaultPrevented || isComposing(key) || (key.repeat && !'jk'.includes(key.key))) return;
    if ((key.metaKey || key.ctrlKey) && !key.altKey && key.key.toLowerCase() === 'k') {
      key.preventDefault();
      togglePalette();
      return;
    }
    if (key.metaKey || key.ctrlKey || key.altKey) return;
    if (key.key === 'Escape') return leaveField();
    // Text that is typed before the palette has the focus is added to its query.
    if (paletteOpen.value && !isInDialog(key.target)) {
      if (key.key.length === 1) paletteQuery.value += key.key;
      key.preventDefault();
      return;
    }
    if (isInDialog(key.target)) return;
    if (!selectsFromMessageBox(key)) {
      restoreLetters(key);
      if (isTyping(key.target)) return;
    }
    const command = commands.value.find((each) => each.keys === key.key && each.when?.() !== false);
    if (!command) return;
    key.preventDefault();
    command.run();
  });
}

/** Leaves the field, so that letters are keyboard shortcuts again. */
function leaveField(): void {
  const element = document.activeElement;
  if (element instanceof HTMLElement && isTyping(element)) element.blur();
}

/** True in a dialog, but not in a drawer, which is a part of the page. */
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"]:not(.drawer), [role="alertdialog"]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches('input, textarea, select, [role="combobox"], [role="menu"], [role="menuitem"]')
  );
}
