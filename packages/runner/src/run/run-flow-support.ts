import type { Event, Llm, Plugin, Toolset } from '@thole/core';
import type { FlowSupport, OpenToolContext, ToolContextInit } from '../hooks/flow-support.ts';
import { CallContext } from './call-context.ts';
import type { RunScope } from './run-scope.ts';
import type { Strand } from './strand.ts';

/** The run as the flow of one agent sees it. */
export class RunFlowSupport implements FlowSupport {
  readonly #run: RunScope;
  readonly #agentName: string;
  readonly #strand: Strand;

  constructor(run: RunScope, agentName: string, strand: Strand) {
    this.#run = run;
    this.#agentName = agentName;
    this.#strand = strand;
  }

  get plugins(): readonly Plugin[] {
    return this.#run.host.plugins;
  }
  get folds(): Map<string, unknown> {
    return this.#run.live.folds;
  }

  model(name: string): Llm {
    return this.#run.host.house.model(name);
  }

  openToolContext(p: ToolContextInit): OpenToolContext {
    const context = new CallContext(this.#run, this.#agentName, this.#strand.state, p);
    return { context, close: () => context.close() };
  }

  show(event: Event): void {
    this.#run.show(event);
  }

  usesToolset(toolset: Toolset): void {
    this.#run.host.house.usesToolset(toolset);
  }
}
