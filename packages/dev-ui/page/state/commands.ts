import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

/** Something that can be done from the palette, and perhaps by a key. */
export interface Command {
  id: string;
  label: string;
  /** As it is shown: `⌘K`, `j`. One letter, or one with ⌘ (Ctrl where there is none), is also bound. */
  keys?: string | undefined;
  run: () => void;
  /** Offered only while it answers true. */
  when?: (() => boolean) | undefined;
}

export const commands: Signal<readonly Command[]> = signal<readonly Command[]>([]);

/** Offers a command in the palette and in the list of keys; the answer takes it away again. */
export function registerCommand(command: Command): () => void {
  commands.value = [...commands.peek().filter((each) => each.id !== command.id), command];
  return () => {
    commands.value = commands.peek().filter((each) => each !== command);
  };
}
