import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject, Runtime, ToolContext } from '@thole/core';
import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { McpConnection } from '../connection/mcp-connection.ts';
import { sdkTimeout } from '../connection/mcp-connection.ts';
import type { ServerAccess } from '../connection/server-access.ts';
import { isLostSession, protocolCodeOf } from '../connection/to-mcp-error.ts';
import { cleanText } from '../declarations/quote-server-text.ts';
import { isSignInNeeded } from '../sign-in/mcp-sign-in.ts';
import { readElicitation, toElicitResult } from './elicitation.ts';
import type { Elicitation } from './elicitation.ts';
import { markToolError } from './mark-tool-error.ts';
import { countRecordedSignIns, findRecordedQuestions } from './recorded-questions.ts';
import type { QuestionRecord, RecordedQuestion } from './recorded-questions.ts';
import { RunningCall } from './running-call.ts';
import type { CallLimits } from './running-call.ts';
import { toToolResult } from './to-tool-result.ts';
import type { ToolResult } from './to-tool-result.ts';

const MAX_ROUNDS = 10;
const MAX_QUESTIONS_OF_ROUND = 16;
const MAX_STATE_LENGTH = 65_536;
const MAX_ERROR_TEXT = 4_000;
const MAX_SIGN_INS = 2;

/** Answers and state that a call sends back to the server. */
interface CallInput {
  readonly inputResponses?: { [key: string]: ElicitResult } | undefined;
  readonly requestState?: string | undefined;
}

/** One call of the model. */
interface ModelCall {
  /** Name at the server. */
  readonly mcpName: string;
  /** Name for the model. */
  readonly name: string;
  readonly args: JsonObject;
  readonly toolContext: ToolContext;
}

/** Calls the tools of a server, and passes the questions of the server to the user. */
export class ToolCalls {
  readonly #access: ServerAccess;
  readonly #limits: CallLimits & { readonly maxResultBytes: number };
  readonly #runtime: Runtime;
  /** Open calls of this process, by idempotency key. A call stays open while its run waits for an answer. */
  readonly #running = new Map<string, RunningCall>();

  constructor(access: ServerAccess, limits: CallLimits & { readonly maxResultBytes: number }, runtime: Runtime) {
    this.#access = access;
    this.#limits = limits;
    this.#runtime = runtime;
  }

  /** Runs a call, or continues a call whose question was answered. */
  async run(call: ModelCall): Promise<ToolResult> {
    for (;;) {
      try {
        return await this.#run(call);
      } catch (error) {
        const { signIn } = this.#access;
        if (!signIn || !isSignInNeeded(error)) throw error;
        const { toolContext } = call;
        if (countRecordedSignIns(toolContext) >= MAX_SIGN_INS)
          throw this.#serverError('rejected the token although the user has signed in. Check auth.scopes.');
        await signIn.request(toolContext);
      }
    }
  }

  /** Ends all calls. */
  close(): void {
    const closed = new TholeError('MCP_SERVER_FAILED', `The connection to "${this.#access.server}" was closed.`);
    for (const call of this.#running.values()) call.cancel(closed);
    this.#running.clear();
  }

  async #run(call: ModelCall): Promise<ToolResult> {
    const { toolContext } = call;
    const key = toolContext.idempotencyKey;
    const recorded = findRecordedQuestions(toolContext);
    let running = this.#running.get(key);
    if (!running && recorded.at(-1)?.isHeld) {
      throw this.#serverError(
        'asked the user a question, but the call ended before the answer. Call the tool again if its result is needed.',
      );
    }
    let round = 1 + (recorded.at(-1)?.round ?? -1);
    let input = running ? {} : await this.#recordedInput(toolContext, recorded);
    for (; ; round++) {
      running ??= this.#start(call, input);
      const outcome = await this.#follow(key, running, { toolContext, round });
      running = undefined;
      if (!isInputRequired(outcome)) {
        const result = outcome as CallToolResult;
        if (result.isError) markToolError(toolContext);
        return toToolResult(result, this.#limits.maxResultBytes);
      }
      if (round >= MAX_ROUNDS) throw this.#serverError(`asked for input more than ${MAX_ROUNDS} times in one call.`);
      input = await this.#requestAnswers(toolContext, outcome, round);
    }
  }

  #start({ mcpName, name, args, toolContext }: ModelCall, input: CallInput): RunningCall {
    const key = toolContext.idempotencyKey;
    const { server } = this.#access;
    const { elicitationTimeoutMs } = this.#limits;
    const params = { name: mcpName, arguments: args, ...input };
    const running = new RunningCall({
      server,
      toolName: name,
      limits: this.#limits,
      runtime: this.#runtime,
      send: (call) =>
        this.#access.use(
          toolContext,
          call.signal,
          (connection) => send(connection, call, params),
          (failure) => call.handleStreamEnd(failure),
        ),
    });
    this.#running.set(key, running);
    const remove = (): void => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    // The call is kept for some time, because the answer to the last question may arrive later.
    // A timer of a call that was removed before would keep its result in memory.
    const removeLater = (): void => {
      if (this.#running.get(key) === running) this.#runtime.timer(elicitationTimeoutMs, remove);
    };
    void running.waitForResult().then(removeLater, removeLater);
    return running;
  }

  /** Waits for the result. Questions of the server become requests for input, which pause the run. */
  async #follow(key: string, running: RunningCall, p: { toolContext: ToolContext; round: number }): Promise<unknown> {
    const { toolContext, round } = p;
    const detach = running.attach(toolContext);
    try {
      for (let i = 0; ; i++) {
        const question = await running.waitForQuestion(i);
        if (!question) break;
        const record: QuestionRecord = { server: this.#access.server, round, key: String(i), isHeld: true };
        const ttlMs = this.#limits.elicitationTimeoutMs;
        running.answer(i, await requestAnswer(toolContext, question, { record, ttlMs }));
      }
      const outcome = running.waitForResult();
      this.#running.delete(key);
      return await outcome;
    } finally {
      detach();
    }
  }

  /** Returns the answers of the last recorded round. All requests are repeated, because answers are found by their order. */
  async #recordedInput(toolContext: ToolContext, recorded: readonly RecordedQuestion[]): Promise<CallInput> {
    const last = recorded.at(-1);
    if (!last) return {};
    const answers = await Promise.all(recorded.map((each) => requestAnswer(toolContext, each, { record: each })));
    const inputResponses: { [key: string]: ElicitResult } = {};
    for (const [i, { round, key }] of recorded.entries()) if (round === last.round) inputResponses[key] = answers[i]!;
    return { inputResponses, ...(last.requestState !== undefined && { requestState: last.requestState }) };
  }

  async #requestAnswers(toolContext: ToolContext, outcome: InputRequired, round: number): Promise<CallInput> {
    const { server } = this.#access;
    const { inputRequests = {}, requestState } = outcome;
    const entries = Object.entries(inputRequests);
    if (entries.length > MAX_QUESTIONS_OF_ROUND || (requestState?.length ?? 0) > MAX_STATE_LENGTH)
      throw this.#serverError('asked for more input than a call may have.');
    const unsupported = entries.find(([, request]) => request.method !== 'elicitation/create');
    if (unsupported)
      throw this.#serverError('asked for something other than an answer of the user, which is not supported.');
    const questions = entries.map(([, { params }]) => readElicitation(params, server));
    // A resumed attempt finds only the recorded questions, so a question that cannot be shown would be lost.
    if (questions.some(Boolean) && !questions.every(Boolean))
      throw this.#serverError('asked several questions, and one of them cannot be shown.');
    const answers = await Promise.all(
      questions.map(async (question, i): Promise<[string, ElicitResult]> => {
        const [key] = entries[i]!;
        if (!question) return [key, { action: 'decline' }];
        const record: QuestionRecord = { server, round, key, ...(requestState !== undefined && { requestState }) };
        return [key, await requestAnswer(toolContext, question, { record })];
      }),
    );
    return {
      ...(entries.length > 0 && { inputResponses: Object.fromEntries(answers) }),
      ...(requestState !== undefined && { requestState }),
    };
  }

  #serverError(problem: string): TholeError {
    return new TholeError('MCP_SERVER_FAILED', `The MCP server "${this.#access.server}" ${problem}`);
  }
}

/** A result that requests input. The SDK has checked its form only in part. */
interface InputRequired {
  readonly inputRequests?: { readonly [key: string]: { readonly method?: unknown; readonly params?: unknown } };
  readonly requestState?: string;
}

function isInputRequired(outcome: unknown): outcome is InputRequired {
  return isPlainObject(outcome) && outcome['resultType'] === 'input_required';
}

async function send(
  connection: McpConnection,
  call: RunningCall,
  params: { name: string; arguments: JsonObject } & CallInput,
): Promise<unknown> {
  connection.calls.add(call);
  try {
    return await connection.client.callTool(params as Parameters<typeof connection.client.callTool>[0], {
      onprogress: (report) => call.handleProgress(report),
      signal: call.signal,
      // The call has its own time limits.
      timeout: sdkTimeout(Infinity),
      allowInputRequired: true,
    });
  } catch (error) {
    call.signal.throwIfAborted();
    if (protocolCodeOf(error) === undefined || isLostSession(error)) throw error;
    // The model can correct wrong arguments. An unknown tool is missing in the next list.
    connection.forgetTools();
    return { content: [{ type: 'text', text: cleanText((error as Error).message, MAX_ERROR_TEXT) }], isError: true };
  } finally {
    connection.calls.delete(call);
  }
}

/** Returns the user's answer. If there is none, pauses the run, or declines the question in a run that cannot pause. */
async function requestAnswer(
  context: ToolContext,
  question: Pick<Elicitation, 'message'> & Partial<Elicitation>,
  p: { record: QuestionRecord; ttlMs?: number },
): Promise<ElicitResult> {
  const { server, round, key, requestState, isHeld } = p.record;
  const mcp = { server, round, key, ...(requestState !== undefined && { requestState }), ...(isHeld && { isHeld }) };
  try {
    const payload = { mcp } as unknown as Json;
    const { message, responseSchema } = question;
    return toElicitResult(await context.requestInput({ message, responseSchema, payload, ttlMs: p.ttlMs }));
  } catch (error) {
    if (TholeError.is(error, 'INTERRUPT_EXPIRED')) return { action: 'cancel' };
    if (TholeError.is(error, 'INPUT_DECLINED') || TholeError.is(error, 'INVALID_INPUT')) return { action: 'decline' };
    throw error;
  }
}
