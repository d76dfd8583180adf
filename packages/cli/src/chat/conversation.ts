import { getFunctionCalls, TholeError } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import type { EventWindow, Interrupt, InterruptKind, Json, Session } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import type { Host } from '../host.ts';
import { codedLine } from '../terminal/error-line.ts';
import { showRun } from '../terminal/show-run.ts';
import type { TerminalStyle } from '../terminal/terminal-style.ts';

/** Longest wait for a timer, in milliseconds. Another process must continue the session after a later timer. */
const MAX_WAIT_MS = 10 * 60_000;
/** Time that the runner has to continue a session at a due timer, in milliseconds. Then it is continued here. */
const WAKE_MS = 2_000;
const POLL_MS = 100;

/** Options of `Conversation`. */
export interface ConversationOptions {
  runner: Runner;
  userId: string;
  host: Pick<Host, 'output' | 'runtime'>;
  style: TerminalStyle;
  streaming: boolean;
  /** True to write the stacks of errors. */
  verbose: boolean;
  /** Id of an existing session. Without it, a session is created for the first message. */
  sessionId: string | undefined;
  /** Kinds of interrupts whose answers the program requests from the user. Other kinds are written as lines. */
  asksFor: readonly InterruptKind[];
}

/** The outcome of a run. */
export type Outcome = 'answered' | 'stopped' | 'failed';

/** A conversation of one user with an agent, in one session at a time. */
export class Conversation {
  readonly #options: ConversationOptions;
  #sessionId: string | undefined;
  #interrupts: readonly Interrupt[] = [];
  /** Ids of the confirmations whose arguments may be edited. */
  #editableIds: ReadonlySet<string> = new Set();
  #run: Run | undefined;
  #waitController: AbortController | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
  }

  /** Undefined before the first message of a new session. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The open interrupts of the session, oldest first. */
  get interrupts(): readonly Interrupt[] {
    return this.#interrupts;
  }

  /** True if the tool of a confirmation allows edited arguments. */
  allowsEdits({ id }: Interrupt): boolean {
    return this.#editableIds.has(id);
  }

  /** Makes the next message start a new session. */
  startNewSession(): void {
    this.#sessionId = undefined;
    this.#interrupts = [];
  }

  /** Removes the last message and everything after it. Returns the text to show. */
  async rewind(): Promise<string> {
    const invocationId = await this.#lastInvocation();
    if (invocationId === undefined) return 'There is no message to remove.';
    const { runner, userId } = this.#options;
    const ref = { userId, sessionId: this.#sessionId! };
    try {
      await runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId });
    } catch (error) {
      return codedLine(error, { verbose: this.#options.verbose });
    }
    await this.readInterrupts();
    return 'The last message and its answer are removed.';
  }

  /** Answers the last message again, and writes the answer, as `send` does. Writes a sentence if there is no message. */
  async regenerate(): Promise<Outcome> {
    const invocationId = await this.#lastInvocation();
    if (invocationId === undefined) {
      this.#options.host.output.write('There is no message to answer again.\n');
      return 'answered';
    }
    return this.#show(async () => this.#options.runner.regenerate({ ...this.#request(), invocationId }));
  }

  /** Copies the session. Later messages go to the copy. Returns the text to show. */
  async fork(): Promise<string> {
    if (this.#sessionId === undefined) return 'There is no session to copy.';
    const { runner, userId, verbose } = this.#options;
    try {
      this.#sessionId = (await runner.fork({ userId, sessionId: this.#sessionId })).id;
    } catch (error) {
      return codedLine(error, { verbose });
    }
    await this.readInterrupts();
    return `The conversation continues in the copy ${this.#sessionId}.`;
  }

  /** Reads the open interrupts of the session. */
  async readInterrupts(): Promise<readonly Interrupt[]> {
    const { runner, userId } = this.#options;
    const sessionId = this.#sessionId;
    this.#interrupts = sessionId === undefined ? [] : await runner.pendingInterrupts({ userId, sessionId });
    if (this.#interrupts.some(({ kind }) => kind === 'confirmation')) this.#editableIds = await this.#readEditableIds();
    return this.#interrupts;
  }

  async #readEditableIds(): Promise<Set<string>> {
    const { events = [] } = (await this.#readSession()) ?? {};
    const calls = events.flatMap((event) => getFunctionCalls(event));
    return new Set(calls.flatMap(({ args, id }) => (args?.['allowEditedArguments'] === true && id ? [id] : [])));
  }

  /** Sends a message and writes the answer as it arrives. Errors are written too. Returns the outcome. */
  async send(message: string): Promise<Outcome> {
    const { runner, userId } = this.#options;
    return this.#show(async () => {
      this.#sessionId ??= (await runner.sessionService.createSession({ appName: runner.appName, userId })).id;
      return runner.runAsync({ ...this.#request(), newMessage: message });
    });
  }

  /** Answers interrupts by id, and writes the following events, as `send` does. */
  async answer(answers: { readonly [id: string]: Json }): Promise<Outcome> {
    return this.#show(async () => this.#options.runner.resume({ ...this.#request(), answers }));
  }

  /** Waits for timers of the session that are due soon, and writes the following events. */
  async waitForTimers(): Promise<void> {
    const { runtime } = this.#options.host;
    for (;;) {
      const timer = this.#interrupts.find(({ kind }) => kind === 'timer');
      const waitMs = ((timer?.expiresAt ?? Infinity) - runtime.now()) * 1_000;
      if (!timer || waitMs > MAX_WAIT_MS) return;
      const controller = (this.#waitController = new AbortController());
      try {
        await this.#wait(timer, waitMs, controller.signal);
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        return;
      } finally {
        this.#waitController = undefined;
      }
    }
  }

  /** Stops the current answer or wait. Returns false if there is none. */
  stop(): boolean {
    if (!this.#run && !this.#waitController) return false;
    this.#run?.abort('The user interrupted the run.');
    this.#waitController?.abort('The user interrupted the wait.');
    return true;
  }

  async #wait({ id, invocationId }: Interrupt, waitMs: number, signal: AbortSignal): Promise<void> {
    const { host, runner } = this.#options;
    const head = await this.#readSession({ numRecentEvents: 0 });
    if (waitMs > 0) await host.runtime.sleep(waitMs, signal);
    // The runner continues sessions that it has paused itself. Other sessions are continued here.
    for (let waited = 0; waited < WAKE_MS && this.#isOpen(id); waited += POLL_MS) {
      await host.runtime.sleep(POLL_MS, signal);
      await this.readInterrupts();
    }
    if (this.#isOpen(id)) await this.#show(async () => runner.resume({ ...this.#request(), invocationId }));
    else await this.#showStoredAfter(head?.lastSeq ?? 0);
  }

  #isOpen(id: string): boolean {
    return this.#interrupts.some((each) => each.id === id);
  }

  async #showStoredAfter(seq: number): Promise<void> {
    await this.#options.runner.idle();
    const session = await this.#readSession({ afterSeq: seq });
    await showRun(session?.events ?? [], this.#showOptions());
    await this.readInterrupts();
  }

  async #lastInvocation(): Promise<string | undefined> {
    if (this.#sessionId === undefined) return undefined;
    const events = applyRewinds((await this.#readSession())?.events ?? []);
    return events.findLast(({ author, content }) => author === 'user' && content)?.invocationId;
  }

  #readSession(window: EventWindow = {}): Promise<Session | undefined> {
    const { runner, userId } = this.#options;
    const ref = { appName: runner.appName, userId, sessionId: this.#sessionId! };
    return runner.sessionService.getSession({ ...ref, ...window });
  }

  #request(): { userId: string; sessionId: string; runConfig: { streamingMode: 'sse' | 'none' } } {
    const { streaming, userId } = this.#options;
    return { userId, sessionId: this.#sessionId!, runConfig: { streamingMode: streaming ? 'sse' : 'none' } };
  }

  #showOptions(): Parameters<typeof showRun>[1] {
    const { asksFor, host, style } = this.#options;
    return { asksFor, style, write: (text) => void host.output.write(text) };
  }

  /** Writes a run. The interrupts are read again if it paused or failed. */
  async #show(begin: () => Promise<Run>): Promise<Outcome> {
    const { host, style, verbose } = this.#options;
    const hadInterrupts = this.#interrupts.length > 0;
    try {
      this.#run = await begin();
      await showRun(this.#run, this.#showOptions());
      const { status } = await this.#run.result;
      if (status === 'paused' || hadInterrupts) await this.readInterrupts();
      return 'answered';
    } catch (error) {
      const isStopped = TholeError.is(error, 'RUN_ABORTED');
      const line = isStopped ? '(stopped)' : codedLine(error, { verbose });
      host.output.write(`${style.paint(isStopped ? 'note' : 'error', line)}\n`);
      if (hadInterrupts) await this.readInterrupts();
      return isStopped ? 'stopped' : 'failed';
    } finally {
      this.#run = undefined;
    }
  }
}
