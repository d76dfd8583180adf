export { recordRun } from './record-run.ts';
export type { RecordRunOptions, RequestToRecord, RunOrResume } from './record-run.ts';
export { replayRun } from './replay-run.ts';
export type { ReplayDifference, ReplayOptions, ReplayResult } from './replay-run.ts';
export { readRecording, RECORDING_VERSION } from './recording.ts';
export type {
  RecordedAgentStep,
  RecordedCall,
  RecordedError,
  RecordedModelCall,
  RecordedRun,
  RecordedSession,
  RecordedToolCall,
  Recording,
} from './recording.ts';
