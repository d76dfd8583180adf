import { callToApprove, escapeHidden, isPlainObject, parseJson } from '@thole/core/kit';
import type { Interrupt, Json } from '@thole/core';
import type { Host } from '../host.ts';
import { errorLine } from '../terminal/error-line.ts';
import { lineWriter } from '../terminal/line-writer.ts';
import { approvalText, callText } from '../terminal/tool-line.ts';
import type { Conversation } from './conversation.ts';
import { parseAnswer, signInAddress } from './parse-answer.ts';

const HELP: { readonly [kind in Interrupt['kind']]?: string } = {
  confirmation: '  yes, no, or /later',
  input: '  a value, or /later',
  credential: '  the address that the browser shows after the sign-in, the key or token, or name:password; or /later',
};

const EDITABLE_HELP = '  yes, no, edit (change the arguments), or /later';

/** Asks the user in the terminal for the answers to the open interrupts of a conversation, one after the other. */
export class Questions {
  readonly #conversation: Conversation;
  readonly #print: (line: string) => void;
  readonly #postponed: Set<string> = new Set();
  #current: Interrupt | undefined;
  #isEditing: boolean = false;

  constructor(host: Host, conversation: Conversation) {
    this.#conversation = conversation;
    this.#print = lineWriter(host.output);
  }

  /** Text before the cursor. Undefined if no question is open. */
  get prompt(): string | undefined {
    if (!this.#current) return undefined;
    if (this.#isEditing) return 'arguments (JSON): ';
    return this.#current.kind === 'confirmation' ? 'allow? ' : 'answer: ';
  }

  /** Asks for the next open interrupt that a person can answer. */
  ask(): void {
    this.#isEditing = false;
    this.#current = this.#conversation.interrupts.find(({ id, kind }) => kind in HELP && !this.#postponed.has(id));
    if (!this.#current) return;
    for (const line of questionLines(this.#current)) this.#print(line);
    this.#print(this.#conversation.allowsEdits(this.#current) ? EDITABLE_HELP : HELP[this.#current.kind]!);
  }

  /** Handles a typed line while a question is open. Returns the outcome of the run that the answer continues. */
  async handle(line: string): Promise<'answered' | 'stopped' | 'failed' | undefined> {
    const current = this.#current!;
    const word = line.trim().toLowerCase();
    if (word === '') return undefined;
    if (word === '/later') {
      this.#postponed.add(current.id);
      this.ask();
      return undefined;
    }
    if (current.kind === 'confirmation' && !this.#isEditing && (word === 'edit' || word === 'e')) {
      this.#print(`  now: ${escapeHidden(JSON.stringify(callToApprove(current).args))}`);
      this.#isEditing = true;
      return undefined;
    }
    const value = this.#valueOf(current, line);
    if (value === undefined) return undefined;
    const outcome = await this.#conversation.answer({ [current.id]: value });
    this.ask();
    return outcome;
  }

  #valueOf(current: Interrupt, line: string): Json | undefined {
    if (this.#isEditing) {
      const editedArguments = parseJson(line);
      if (isPlainObject(editedArguments)) return { confirmed: true, editedArguments: editedArguments as Json };
      this.#print('The arguments must be a JSON object.');
      return undefined;
    }
    try {
      return parseAnswer(current, line);
    } catch (error) {
      this.#print(errorLine(error));
      return undefined;
    }
  }
}

function questionLines(interrupt: Interrupt): string[] {
  const { args = {}, kind, message, payload, responseSchema, toolName } = interrupt;
  if (kind === 'confirmation')
    return [`? ${approvalText(interrupt)}`, ...(message === undefined ? [] : [`  ${message}`])];
  const call = toolName === undefined ? '' : callText({ name: toolName, args });
  if (kind === 'credential') {
    const address = signInAddress(payload);
    return [
      `? ${call} needs ${address === undefined ? 'an API key, a token, or a user name and a password' : `a sign-in: ${address}`}`,
    ];
  }
  const schema = responseSchema ? [`  schema: ${JSON.stringify(responseSchema)}`] : [];
  return [`? ${message ?? call}`, ...schema];
}
