import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** A command of the palette, optionally with a keyboard shortcut. */
export interface Command {
  id: string;
  label: string;
  /** The key of the command, a single character such as `j`. */
  keys?: string | undefined;
  run: () => void;
  /** The command is offered only while this returns true. */
  when?: (() => boolean) | undefined;
}

export const commands: Signal<readonly Command[]> = signal<readonly Command[]>([]);

/** Adds a command to the palette and the keyboard shortcuts. Returns a function that removes it. */
export function registerCommand(command: Command): () => void {
  commands.value = [...commands.peek().filter((each) => each.id !== command.id), command];
  return () => {
    commands.value = commands.peek().filter((each) => each !== command);
  };
}
