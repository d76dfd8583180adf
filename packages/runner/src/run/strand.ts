import { State } from '@thole/core';
import type { Event, StateMap, StateView } from '@thole/core';

/**
 * What hooks and agents that run one after another have written and no event has taken yet. Branches that run beside each
 * other have one each.
 */
export class Strand {
  readonly state: State;
  artifactDelta: { [filename: string]: number } | undefined;

  constructor(view: StateView, temp: StateMap, guard: () => void) {
    this.state = new State(view, { temp, guard });
  }

  hasPending(): boolean {
    return this.artifactDelta !== undefined || this.state.hasDelta();
  }

  saved(filename: string, version: number): void {
    this.artifactDelta = { ...this.artifactDelta, [filename]: version };
  }

  /** The event with what waits here; its own changes win. */
  giveTo(event: Event): Event {
    if (event.partial || !this.hasPending()) return event;
    const { actions } = event;
    const stateDelta = { ...this.state.takeDelta(), ...actions.stateDelta };
    const artifactDelta = { ...this.artifactDelta, ...actions.artifactDelta };
    this.artifactDelta = undefined;
    return { ...event, actions: { ...actions, stateDelta, artifactDelta } };
  }
}
