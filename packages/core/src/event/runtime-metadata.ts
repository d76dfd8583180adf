const names: ReadonlySet<string> = new Set([
  'answeredBy',
  'callEnded',
  'child',
  'joined',
  'resumeAttempt',
  'runLimits',
  'seenSeq',
  'step',
  'toolStarted',
  'toolStarts',
]);
/** ADK reserves all names with this prefix. */
const ADK_PREFIX = '__adk_internal_';

/** True for a name in `customMetadata` that only the runtime sets: resumed runs rely on its value. */
export function isRuntimeMetadata(name: string): boolean {
  return names.has(name) || name.startsWith(ADK_PREFIX);
}
