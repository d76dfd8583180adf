import { commands } from '../state/commands.ts';
import { giveLettersBack, walksFromBox } from './walk-from-box.ts';
import { paletteOpen, paletteQuery, togglePalette } from '../palette/palette-open.ts';

/**
 * Binds the keys of the commands. A single letter works while nothing is being typed (`j` and `k` also in the empty
 * message box); a key with ⌘ (or Ctrl) works always.
 */
export function bindKeys(): void {
  addEventListener('keydown', (key) => {
    if (key.defaultPrevented || key.isComposing || (key.repeat && !'jk'.includes(key.key))) return;
    if ((key.metaKey || key.ctrlKey) && !key.altKey && key.key.toLowerCase() === 'k') {
      key.preventDefault();
      togglePalette();
      return;
    }
    if (key.metaKey || key.ctrlKey || key.altKey) return;
    if (key.key === 'Escape') return leaveField();
    // Typing before the palette has the focus belongs to the palette.
    if (paletteOpen.value && !isInDialog(key.target)) {
      if (key.key.length === 1) paletteQuery.value += key.key;
      key.preventDefault();
      return;
    }
    if (isInDialog(key.target)) return;
    if (!walksFromBox(key)) {
      giveLettersBack(key);
      if (isTyping(key.target)) return;
    }
    const command = commands.value.find((each) => each.keys === key.key && each.when?.() !== false);
    if (!command) return;
    key.preventDefault();
    command.run();
  });
}

/** Leaves the field, so that letters are keys again. */
function leaveField(): void {
  const element = document.activeElement;
  if (element instanceof HTMLElement && isTyping(element)) element.blur();
}

/** A drawer is a part of the page, not a dialog. */
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
