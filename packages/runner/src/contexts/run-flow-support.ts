import type { Event, Llm, Plugin, Span, Toolset } from '@thole/core';
import type { FlowSupport, LoopRounds, OpenToolContext, ToolContextInit } from '../hooks/flow-support.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { ToolCallContext } from './tool-call-context.ts';
import type { CallPlace } from './idempotency-key.ts';
import { CountedRounds } from './loop-rounds.ts';
import type { RunScope } from '../invocation/run-scope.ts';
import { storedAs } from '../session/stored-event.ts';
import type { PendingChanges } from './pending-changes.ts';

/** The run as the flow of one agent sees it. */
export class RunFlowSupport implements FlowSupport {
  readonly #run: RunScope;
  readonly #agentName: string;
  readonly #strand: PendingChanges;
  readonly #span: Span | undefined;
  readonly #placeOf: () => CallPlace;

  constructor(
    run: RunScope,
    agentName: string,
    strand: PendingChanges,
    span: Span | undefined,
    placeOf: () => CallPlace,
  ) {
    this.#run = run;
    this.#agentName = agentName;
    this.#strand = strand;
    this.#span = span;
    this.#placeOf = placeOf;
  }

  get plugins(): readonly Plugin[] {
    return this.#run.host.plugins;
  }
  get trace(): RunTrace | undefined {
    return this.#run.trace;
  }
  get folds(): Map<string, unknown> {
    return this.#run.live.folds;
  }

  model(name: string): Llm {
    return this.#run.host.house.model(name);
  }

  openToolContext(p: ToolContextInit): OpenToolContext {
    const init = { ...p, span: p.span ?? this.#span };
    const context = new ToolCallContext(this.#run, this.#agentName, this.#strand.state, init, this.#placeOf);
    return { context, close: () => context.close() };
  }

  assertMayBegin(): void {
    this.#run.assertMayBegin();
  }

  workBegins(): void {
    this.#run.underWay++;
  }

  workEnds(): void {
    this.#run.underWay--;
  }

  storedAs(event: Event): Event {
    return storedAs(this.#run.live, event);
  }

  loopRounds(): LoopRounds {
    const { runtime, calls, house } = this.#run.host;
    return new CountedRounds({ runtime, calls, forced: house.forcedTurns, agentName: this.#agentName });
  }

  show(event: Event): void {
    this.#run.show(event);
  }

  usesToolset(toolset: Toolset): void {
    this.#run.host.house.usesToolset(toolset);
  }
}
