import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** A command of the palette, optionally with a key. */
export interface Command {
  id: string;
  label: string;
  /** The displayed key: `⌘K`, `j`. One letter, or one with ⌘ (otherwise Ctrl), is also bound. */
  keys?: string | undefined;
  run: () => void;
  /** The command is offered only while this returns true. */
  when?: (() => boolean) | undefined;
}

export const commands: Signal<readonly Command[]> = signal<readonly Command[]>([]);

/** Adds a command to the palette and the list of keys. Returns a function that removes it. */
export function registerCommand(command: Command): () => void {
  commands.value = [...commands.peek().filter((each) => each.id !== command.id), command];
  return () => {
    commands.value = commands.peek().filter((each) => each !== command);
  };
}
