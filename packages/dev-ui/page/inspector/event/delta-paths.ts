/** Whether a line of an event's JSON is something that the event changes: state, artifacts, who goes on. */
export function isDelta(path: string): boolean {
  return DELTAS.some((delta) => path.startsWith(delta));
}

// Their members alone: the maps themselves are always there.
const DELTAS = [
  '/actions/stateDelta/',
  '/actions/artifactDelta/',
  '/actions/transferToAgent',
  '/actions/escalate',
  '/actions/compaction',
  '/actions/rewindBeforeInvocationId',
];
