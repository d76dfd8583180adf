/** True for a line of an event's JSON that is a change: of state, artifacts, or the next agent. */
export function isDelta(path: string): boolean {
  return DELTAS.some((delta) => path.startsWith(delta));
}

// Only their members: the maps themselves are always present.
const DELTAS = [
  '/actions/stateDelta/',
  '/actions/artifactDelta/',
  '/actions/transferToAgent',
  '/actions/escalate',
  '/actions/compaction',
  '/actions/rewindBeforeInvocationId',
];
