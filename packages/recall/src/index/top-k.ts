/** The best `limit` of what is offered, by a heap: no more than `limit` are held, and most offers cost one comparison. */
export class TopK {
  readonly #limit: number;
  readonly #isBetter: (a: number, b: number) => boolean;
  /** The worst one kept stands first. */
  readonly #heap: number[] = [];

  constructor(limit: number, isBetter: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isBetter = isBetter;
  }

  /** Whether an offer would be kept now; lets callers check the rest of an offer only when it matters. */
  wants(candidate: number): boolean {
    return this.#heap.length < this.#limit || (this.#limit > 0 && this.#isBetter(candidate, this.#heap[0]!));
  }

  /** The worst one kept, once there are as many as may be: whoever is worse need not be offered. */
  get worst(): number | undefined {
    return this.#heap.length < this.#limit ? undefined : this.#heap[0];
  }

  offer(candidate: number): void {
    if (!this.wants(candidate)) return;
    if (this.#heap.length < this.#limit) this.#raise(this.#heap.push(candidate) - 1);
    else this.#sink(candidate);
  }

  /** Best first. */
  sorted(): number[] {
    return [...this.#heap].sort((a, b) => (this.#isBetter(a, b) ? -1 : 1));
  }

  #raise(start: number): void {
    const heap = this.#heap;
    const candidate = heap[start]!;
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#isBetter(heap[parent]!, candidate)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = candidate;
  }

  #sink(candidate: number): void {
    const heap = this.#heap;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#isBetter(heap[child]!, heap[child + 1]!)) child++;
      if (!this.#isBetter(candidate, heap[child]!)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = candidate;
  }
}
