export type { ConsolidationOutcome } from './consolidate-session.ts';
export type { ConsolidationFailure, IdleConsolidatorOptions } from './consolidator-options.ts';
export { IdleConsolidator } from './idle-consolidator.ts';
export type { SweepReport } from './idle-consolidator.ts';
