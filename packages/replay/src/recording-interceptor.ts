import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventActions, Json, LlmResponse, State, StateDelta, ToolContext } from '@thole/core';
import { failInvalidJson, JsonCopier } from '@thole/core/kit';
import type { CallInterceptor } from '@thole/core/kit';
import { toRecordedError } from './recorded-error.ts';
import { toRecordedResult } from './recorded-result.ts';
import type { RecordedAgentStep, RecordedCall, RecordedRun, RecordedToolCall } from './recording.ts';
import type { RecordingRuntime } from './recording-runtime.ts';
import { requestJson, toJson } from './to-json.ts';

/** Forwards calls to models and tools and steps of agents, and records them. */
export class RecordingInterceptor implements CallInterceptor {
  readonly #runtime: RecordingRuntime;
  #calls: RecordedCall[] = [];
  #steps: RecordedAgentStep[] = [];
  readonly #runningTools = new Set<RecordedToolCall>();
  /** The step of an agent or a tool whose function is running. */
  readonly #activeStep = new AsyncLocalStorage<Partial<RecordedAgentStep>>();
  #ended = 0;

  constructor(runtime: RecordingRuntime) {
    this.#runtime = runtime;
  }

  /** Records into this run from now on. */
  recordInto(run: RecordedRun): void {
    this.#calls = run.calls;
    this.#steps = run.steps ??= [];
    this.#ended = 0;
  }

  /** Marks the calls whose tools are still running after the run has ended. */
  markUnstopped(): void {
    for (const call of this.#runningTools) call.isUnstopped = true;
    this.#runningTools.clear();
  }

  async *callModel(p: Parameters<CallInterceptor['callModel']>[0]): AsyncGenerator<LlmResponse, void, undefined> {
    const { agentName: agent, branch, model, options } = p;
    this.#markActiveStep();
    const responses: LlmResponse[] = [];
    const request = requestJson(p.request);
    const call: RecordedCall = { kind: 'model', agent, ...(branch !== undefined && { branch }), request, responses };
    this.#calls.push(call);
    try {
      for await (const response of model.generateContentAsync(p.request, options)) {
        responses.push(toJson(response));
        this.#runtime.tick();
        yield response;
      }
    } catch (error) {
      if (!options.signal.aborted) this.#fail(call, error);
      throw error;
    }
    this.#end(call);
  }

  async callTool({ args, tool, toolContext }: Parameters<CallInterceptor['callTool']>[0]): Promise<unknown> {
    this.#markActiveStep();
    const call: RecordedToolCall = {
      kind: 'tool',
      agent: toolContext.agentName,
      tool: tool.name,
      args: toJson(args),
      steps: [],
      stateDelta: {},
      actions: {},
    };
    this.#calls.push(call);
    this.#runningTools.add(call);
    const before = { state: deltaOf(toolContext.state), actions: toJson(toolContext.actions) };
    recordSteps(toolContext, call, this.#activeStep);
    try {
      const result = await tool.runAsync({ args, toolContext });
      if (!toolContext.signal.aborted) {
        Object.assign(call, toRecordedResult(tool.name, result));
        this.#end(call);
      }
      return result;
    } catch (error) {
      if (!toolContext.signal.aborted) this.#fail(call, error);
      if (isPause(error)) call.runs = true;
      throw error;
    } finally {
      this.#runningTools.delete(call);
      call.stateDelta = changedMembers(before.state, deltaOf(toolContext.state));
      call.actions = changedMembers(before.actions, toJson(toolContext.actions)) as Partial<EventActions>;
    }
  }

  async runStep(p: Parameters<CallInterceptor['runStep']>[0]): Promise<Json | undefined> {
    const { agent, changes, name, n, path, run, signal } = p;
    this.#markActiveStep();
    const step: RecordedAgentStep = { agent, path, name, n, stateDelta: {}, artifactDelta: {} };
    this.#steps.push(step);
    const before = { state: deltaOf(changes.state), artifacts: changes.artifactDelta };
    try {
      const result = await this.#activeStep.run(step, run);
      if (signal.aborted) return result;
      // Throws the error of the runner for a result that is not JSON, so that the recording contains it.
      if (result !== undefined)
        step.result = new JsonCopier(failInvalidJson).copy(result, `The result of step ${name}`);
      this.#end(step);
      return result;
    } catch (error) {
      if (!signal.aborted) this.#fail(step, error);
      if (isPause(error)) step.runs = true;
      throw error;
    } finally {
      step.stateDelta = changedMembers(before.state, deltaOf(changes.state));
      step.artifactDelta = changedMembers(before.artifacts, changes.artifactDelta);
    }
  }

  /** Marks the step that makes the current call: a replay runs it, because it needs the answers of its calls. */
  #markActiveStep(): void {
    const step = this.#activeStep.getStore();
    if (step && step.end === undefined) step.runs = true;
  }

  #fail(call: EndedCall, error: unknown): void {
    call.error = toRecordedError(error);
    this.#end(call);
  }

  #end(call: EndedCall): void {
    this.#runtime.tick();
    call.end = ++this.#ended;
  }
}

type EndedCall = Pick<RecordedToolCall, 'end' | 'error'>;

/** Records the steps of the tool, and whether it runs agents. */
function recordSteps(
  context: ToolContext,
  call: RecordedToolCall,
  activeStep: AsyncLocalStorage<Partial<RecordedAgentStep>>,
): void {
  const step = context.step.bind(context);
  const runChild = context.runChild.bind(context);
  const recordStep: ToolContext['step'] = async (name, fn) => {
    const record: RecordedToolCall['steps'][number] = { name };
    try {
      // The runner rejects a value that is not a function.
      const result = await step(name, typeof fn === 'function' ? (p) => activeStep.run(record, () => fn(p)) : fn);
      if (result !== undefined) record.result = toJson(result as Json);
      return result as never;
    } catch (error) {
      record.error = toRecordedError(error);
      throw error;
    } finally {
      call.steps.push(record);
    }
  };
  Object.defineProperty(context, 'step', { value: recordStep });
  Object.defineProperty(context, 'runChild', {
    value: (p: Parameters<ToolContext['runChild']>[0]) => {
      call.runs = true;
      return runChild(p);
    },
  });
}

/** True if the error means that the call waits for an answer. It has no result yet, so a replay runs it. */
function isPause(error: unknown): boolean {
  return (error as { isRunPaused?: unknown } | null)?.isRunPaused === true;
}

/** Returns the state changes that are not part of an event yet. They stay in the state. */
function deltaOf(state: State): StateDelta {
  const taken = state.takeDelta();
  if (!taken) return {};
  state.restore(taken);
  return toJson(taken);
}

function changedMembers<T extends object>(before: T, after: T): T {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]),
  );
  return Object.fromEntries(changed) as T;
}
