import { State } from '@thole/core';
import type { Event, StateDelta, StateMap } from '@thole/core';
import type { StateView } from '@thole/core/kit';

/** Changes that an event has taken and that are not stored yet. */
export interface TakenChanges {
  /** Called when the event was stored, or dropped by a plugin. */
  settle(): void;
  /** Called when the event never reached the store: the next event takes the changes. */
  restore(): void;
}

/** The changes that events under way have taken, by event id. */
export type UnstoredChanges = Map<string, TakenChanges[]>;

/** What a strand reads from and where it notes what events have taken. */
export interface PendingChangesInit {
  readonly view: StateView;
  readonly temp: StateMap;
  readonly unstored: UnstoredChanges;
  readonly guard: () => void;
  /** The strand of the agent above, whose changes this one reads; its events take them too. */
  readonly parent?: PendingChanges | undefined;
}

/**
 * What hooks and agents that run one after another have written and no event has taken yet. Each branch has its own strand
 * below that of the agent which began it.
 */
export class PendingChanges {
  readonly state: State;
  readonly #init: PendingChangesInit;
  #artifactDelta: { [filename: string]: number } | undefined;

  constructor(init: PendingChangesInit) {
    this.#init = init;
    this.state = new State(init.view, { temp: init.temp, guard: init.guard });
  }

  /** A strand for a branch: it sees what is pending here. */
  branch(): PendingChanges {
    return new PendingChanges({ ...this.#init, view: this.state, parent: this });
  }

  hasPending(): boolean {
    return this.#artifactDelta !== undefined || this.state.hasDelta();
  }

  saved(filename: string, version: number): void {
    this.#artifactDelta = { ...this.#artifactDelta, [filename]: version };
  }

  /** Returns the event with what is pending here and in the strands above; the event's own changes win, then the nearest. */
  giveTo(event: Event): Event {
    if (event.partial) return event;
    const own = this.hasPending() ? this.#giveOwn(event) : event;
    const { parent } = this.#init;
    return parent ? parent.giveTo(own) : own;
  }

  #giveOwn(event: Event): Event {
    const { actions } = event;
    const [delta, artifacts] = [this.state.takeDelta(), this.#artifactDelta];
    this.#artifactDelta = undefined;
    this.#noteTaken(event.id, delta, artifacts);
    const stateDelta = { ...delta, ...actions.stateDelta };
    const artifactDelta = { ...artifacts, ...actions.artifactDelta };
    return { ...event, actions: { ...actions, stateDelta, artifactDelta } };
  }

  #noteTaken(
    eventId: string,
    delta: StateDelta | undefined,
    artifacts: { [filename: string]: number } | undefined,
  ): void {
    const { unstored } = this.#init;
    const taken: TakenChanges = {
      settle: () => delta && this.state.settle(delta),
      restore: () => {
        if (delta) this.state.restore(delta);
        if (artifacts) this.#artifactDelta = { ...artifacts, ...this.#artifactDelta };
      },
    };
    const others = unstored.get(eventId);
    if (others) others.push(taken);
    else unstored.set(eventId, [taken]);
  }
}
