/** True if a path in an event's JSON is a change: of state or artifacts, or an action of the event. */
export function isDelta(path: string): boolean {
  return DELTAS.some((delta) => path.startsWith(delta));
}

// The slash at the end excludes the maps, which are always present.
const DELTAS = [
  '/actions/stateDelta/',
  '/actions/artifactDelta/',
  '/actions/transferToAgent',
  '/actions/escalate',
  '/actions/compaction',
  '/actions/rewindBeforeInvocationId',
];
