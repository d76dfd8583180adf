import { getFunctionResponses } from '@thole/core';
import { thawJson } from '@thole/core/kit';
import type { AgentStep, CallInterceptor } from '@thole/core/kit';
import type { Json, JsonObject, LlmResponse, ToolContext } from '@thole/core';
import { firstDifference } from './first-difference.ts';
import type { ValueDifference } from './first-difference.ts';
import { fromRecordedError } from './recorded-error.ts';
import type { RecordedCall, RecordedModelCall, RecordedRun, RecordedToolCall } from './recording.ts';
import type { ReplayRuntime } from './replay-runtime.ts';
import { requestJson, toJson } from './to-json.ts';

/** A call that differs from the recording. */
export interface CallDifference extends ValueDifference {
  /** Description of the call, such as `call 2 of the model of root`. */
  call: string;
}

type EndedCall = Pick<RecordedCall, 'end'>;

/** Number of event loop turns without a waiting call after which the run waits for the clock or for an abort. */
const IDLE_TURNS = 20;

/** Number of turns, each at most a second of the clock, after which a run is aborted whose waiting calls have no recorded end. */
const MAX_IDLE_TURNS = 10_000;

/**
 * Answers the calls of a run from its recording, in the recorded order of their ends. Calls are matched by agent, tool and
 * content, otherwise by the order of their starts. The first call that differs stops the run.
 */
export class ReplayInterceptor implements CallInterceptor {
  /** The first call of the run that differs. */
  difference: CallDifference | undefined;
  #run!: RecordedRun;
  #stop!: AbortController;
  #unused = new Set<RecordedCall>();
  readonly #waiting: Map<EndedCall, () => void> = new Map();
  /** Position of the event with the answer of a tool. Tools that end at the same time are answered in this order. */
  readonly #answerPositions: Map<EndedCall, number> = new Map();
  #unusedSteps: NonNullable<RecordedRun['steps']> = [];

  /** Answers from this run from now on. `stop` is aborted at the first call that differs. */
  startRun(run: RecordedRun, stop: AbortController): void {
    this.difference = undefined;
    this.#run = run;
    this.#stop = stop;
    this.#unused = new Set(run.calls);
    this.#unusedSteps = [...(run.steps ?? [])];
    this.#waiting.clear();
  }

  async *callModel(p: Parameters<CallInterceptor['callModel']>[0]): AsyncGenerator<LlmResponse, void, undefined> {
    const call = this.#matchCall<RecordedModelCall>(
      (each) => each.kind === 'model' && each.agent === p.agentName && each.branch === p.branch,
      `the model of ${p.agentName}`,
      { expected: (each) => each.request, actual: requestJson(p.request) },
    );
    if (call.end !== undefined) await this.#waitForTurn(call, p.options.signal);
    for (const response of call.responses) yield thawJson(response as unknown as JsonObject) as unknown as LlmResponse;
    if (call.end === undefined) await this.#waitForTurn(call, p.options.signal);
    if (call.error) throw fromRecordedError(call.error);
  }

  async callTool({ args, mustRun, tool, toolContext }: Parameters<CallInterceptor['callTool']>[0]): Promise<unknown> {
    const { agentName: agent, signal } = toolContext;
    const call = this.#matchCall<RecordedToolCall>(
      (each) => each.kind === 'tool' && each.agent === agent && each.tool === tool.name,
      `the tool ${tool.name} of ${agent}`,
      { expected: (each) => each.args, actual: toJson(args) },
    );
    const position = this.#run.events.findIndex((event) =>
      getFunctionResponses(event).some(({ id }) => id === toolContext.functionCallId),
    );
    if (position >= 0) this.#answerPositions.set(call, position);
    if (call.runs) {
      replaySteps(toolContext, call);
      try {
        return await tool.runAsync({ args, toolContext });
      } finally {
        await this.#waitForTurn(call, signal);
      }
    }
    for (const { error, name, result } of call.steps) {
      const replay = async (): Promise<never> => {
        if (error) throw fromRecordedError(error);
        return result as never;
      };
      // The tool may have caught the error of a step.
      await toolContext.step(name, replay).catch(() => undefined);
    }
    await this.#waitForTurn(call, call.isUnstopped ? new AbortController().signal : signal);
    if (mustRun) return tool.runAsync({ args, toolContext });
    toolContext.state.update(call.stateDelta);
    Object.assign(toolContext.actions, toJson(call.actions));
    if (call.error) throw fromRecordedError(call.error);
    return toJson(call.result);
  }

  async runStep(p: Parameters<CallInterceptor['runStep']>[0]): Promise<Json | undefined> {
    const { agent, changes, name, n, path, run, signal } = p;
    if (!this.#run.steps) return run();
    const at = this.#unusedSteps.findIndex((each) => each.path === path && each.name === name && each.n === n);
    const [step] = at < 0 ? [] : this.#unusedSteps.splice(at, 1);
    if (!step)
      return this.#endReplay({ call: describeStep({ agent, name, n }), path: '', expected: undefined, actual: name });
    if (step.runs) return run();
    await this.#waitForTurn(step, signal);
    changes.state.update(step.stateDelta ?? {});
    for (const [filename, version] of Object.entries(step.artifactDelta ?? {}))
      changes.addArtifactVersion(filename, version);
    if (step.error) throw fromRecordedError(step.error);
    return step.result;
  }

  /** Returns the first recorded call or step that the run has not made. */
  unusedCall(): CallDifference | undefined {
    const call = [...this.#unused].find(({ end }) => end !== undefined);
    if (call) {
      const callee = call.kind === 'model' ? `the model of ${call.agent}` : `the tool ${call.tool} of ${call.agent}`;
      return { call: callee, path: '', expected: call, actual: undefined };
    }
    const step = this.#unusedSteps.find(({ end }) => end !== undefined);
    return step && { call: describeStep(step), path: '', expected: step, actual: undefined };
  }

  /** Lets waiting calls continue, in the recorded order, until the run is over. Advances the clock if only timers are left. */
  async drive(runtime: ReplayRuntime, isOver: () => boolean): Promise<void> {
    const wasAborted = this.#run.error?.code === 'RUN_ABORTED';
    let stepMs = 1;
    for (let idle = 0; !isOver(); idle++) {
      // Not a timer of the process, because the test library may have replaced them.
      await runtime.advance(0);
      const next = this.#nextCall();
      if (next) {
        this.#waiting.get(next)!();
        idle = 0;
        stepMs = 1;
      } else if (idle >= (wasAborted ? IDLE_TURNS : MAX_IDLE_TURNS) && this.#waiting.size > 0) {
        this.#stop.abort(
          new Error('The run waits for a call, and the recording does not contain the end of this call.'),
        );
      } else if (idle >= IDLE_TURNS && runtime.pending > 0) {
        // In small steps: a call that starts after a time limit must not reach its own limit in the same step.
        await runtime.advance(stepMs);
        stepMs = Math.min(2 * stepMs, 1_000);
      }
    }
  }

  /** Returns the waiting call that ends next. */
  #nextCall(): EndedCall | undefined {
    const [first, ...others] = [...this.#waiting.keys()]
      .filter(({ end }) => end !== undefined)
      .toSorted((a, b) => a.end! - b.end!);
    const positionOf = (call: EndedCall): number => this.#answerPositions.get(call) ?? Infinity;
    if (!first || !this.#answerPositions.has(first)) return first;
    return others.reduce((next, call) => (positionOf(call) < positionOf(next) ? call : next), first);
  }

  /** Returns the next recorded call. Stops the run if there is no such call, or if the request or arguments differ. */
  #matchCall<C extends RecordedCall>(
    isCall: (call: RecordedCall) => boolean,
    callee: string,
    p: { expected: (call: C) => JsonObject; actual: JsonObject },
  ): C {
    const matching = this.#run.calls.filter(isCall);
    const unused = matching.filter((each) => this.#unused.has(each)) as C[];
    // Concurrent calls of an agent or a tool may start in another order.
    const call = unused.find((each) => !firstDifference(p.expected(each), p.actual)) ?? unused[0];
    const count = call ? matching.indexOf(call) + 1 : matching.length + 1;
    const found = call
      ? firstDifference(p.expected(call), p.actual)
      : { path: '', expected: undefined, actual: p.actual };
    if (found) this.#endReplay({ ...found, call: `call ${count} of ${callee}` });
    this.#unused.delete(call!);
    return call!;
  }

  #endReplay(difference: CallDifference): never {
    this.difference ??= difference;
    this.#stop.abort();
    throw new Error('The replay has ended.');
  }

  async #waitForTurn(call: EndedCall, signal: AbortSignal): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        signal.throwIfAborted();
        this.#waiting.set(call, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    } finally {
      this.#waiting.delete(call);
    }
  }
}

function describeStep({ agent, name, n }: Pick<AgentStep, 'agent' | 'name' | 'n'>): string {
  return `${n > 1 ? `call ${n} of ` : ''}the step ${name} of ${agent}`;
}

/** Returns recorded results for the steps of a tool that runs again, because the functions of steps may have effects. */
function replaySteps(context: ToolContext, { steps }: RecordedToolCall): void {
  const step = context.step.bind(context);
  const remaining = [...steps];
  const replayStep: ToolContext['step'] = (name, fn) => {
    const at = remaining.findIndex((each) => each.name === name);
    const [found] = at < 0 ? [] : remaining.splice(at, 1);
    if (!found || found.runs) return step(name, fn) as never;
    return step(name, async () => {
      if (found.error) throw fromRecordedError(found.error);
      return found.result as never;
    }) as never;
  };
  Object.defineProperty(context, 'step', { value: replayStep });
}
