interface NodeGlobals {
  process?: { nextTick?: (work: () => void) => void };
  setImmediate?: (work: () => void) => void;
}

// Bun, Deno and some workers have these functions too. The edge runtime of Next has both, but they throw.
function nodeGlobals(): NodeGlobals {
  return 'EdgeRuntime' in globalThis ? {} : (globalThis as NodeGlobals);
}

/** Calls `work` in a later turn of the event loop, after input was read. */
export function afterInput(work: () => void): void {
  const { setImmediate: immediately } = nodeGlobals();
  if (immediately) immediately(work);
  else setTimeout(work, 0);
}

/**
 * Returns `process.nextTick`, whose queue runs after the queue of promises. `setImmediate` would add a turn of the event loop to
 * each call. Undefined where neither exists.
 */
export function findNextTick(): ((work: () => void) => void) | undefined {
  const { process: node, setImmediate: immediately } = nodeGlobals();
  return node?.nextTick?.bind(node) ?? immediately;
}
