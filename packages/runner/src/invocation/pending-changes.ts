import { State } from '@thole/core';
import type { Event, StateDelta, StateMap } from '@thole/core';
import type { StateView } from '@thole/core/kit';

/** Changes in an event that is not stored yet. */
export interface AddedChanges {
  /** Called when the event is stored, or dropped by a plugin. */
  settle(): void;
  /** Called if the event is not stored. The next event then contains the changes. */
  restore(): void;
}

/** Changes in events that are not stored yet, by event id. */
export type UnstoredChanges = Map<string, AddedChanges[]>;

/** Arguments of `PendingChanges`. */
export interface PendingChangesInit {
  /** The stored state, which the changes override. */
  readonly view: StateView;
  readonly temp: StateMap;
  /** The run, which keeps the changes that are not stored yet. */
  readonly run: { unstored: UnstoredChanges | undefined };
  /** Throws if the state must not be written. */
  readonly guard: () => void;
  /** Changes of the agent that began this branch. Events of the branch contain them too. */
  readonly parent?: PendingChanges | undefined;
}

/**
 * Changes of state and artifacts by hooks and agents that no event contains yet. Agents that run one after another share one
 * object. Each concurrent branch has a separate one.
 */
export class PendingChanges {
  readonly state: State;
  readonly #init: PendingChangesInit;
  #artifactDelta: { [filename: string]: number } | undefined;

  constructor(init: PendingChangesInit) {
    this.#init = init;
    this.state = new State(init.view, { temp: init.temp, guard: init.guard });
  }

  get artifactDelta(): { readonly [filename: string]: number } {
    return this.#artifactDelta ?? {};
  }

  /** Returns the pending changes of a new branch. The branch also sees the changes of this object. */
  branch(): PendingChanges {
    return new PendingChanges({ ...this.#init, view: this.state, parent: this });
  }

  hasPending(): boolean {
    return this.#artifactDelta !== undefined || this.state.hasDelta();
  }

  addArtifactVersion(filename: string, version: number): void {
    this.#artifactDelta = { ...this.#artifactDelta, [filename]: version };
  }

  /**
   * Returns the event with all pending changes. The event's own changes have priority, then the changes of the innermost branch.
   * Returns a partial event unchanged.
   */
  addTo(event: Event): Event {
    if (event.partial) return event;
    const changed = this.hasPending() ? this.#addOwn(event) : event;
    const { parent } = this.#init;
    return parent ? parent.addTo(changed) : changed;
  }

  #addOwn(event: Event): Event {
    const { actions } = event;
    const [delta, artifacts] = [this.state.takeDelta(), this.#artifactDelta];
    this.#artifactDelta = undefined;
    this.#track(event.id, delta, artifacts);
    const stateDelta = { ...delta, ...actions.stateDelta };
    const artifactDelta = { ...artifacts, ...actions.artifactDelta };
    return { ...event, actions: { ...actions, stateDelta, artifactDelta } };
  }

  #track(eventId: string, delta: StateDelta | undefined, artifacts: { [filename: string]: number } | undefined): void {
    const added: AddedChanges = {
      settle: () => delta && this.state.settle(delta),
      restore: () => {
        if (delta) this.state.restore(delta);
        if (artifacts) this.#artifactDelta = { ...artifacts, ...this.#artifactDelta };
      },
    };
    const unstored = (this.#init.run.unstored ??= new Map());
    const others = unstored.get(eventId);
    if (others) others.push(added);
    else unstored.set(eventId, [added]);
  }
}
