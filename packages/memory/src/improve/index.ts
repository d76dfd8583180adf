export type { UsersTimeZone } from '../user-time-zone.ts';
export { applyProposals } from './apply-proposals.ts';
export type { ApplyProposalsOptions } from './apply-proposals.ts';
export { proposeMemories } from './propose-memories.ts';
export type { ProposeMemoriesOptions } from './propose-memories.ts';
export type { Proposal, ProposalAudit, ProposalChange } from './proposal.ts';
export { undoProposals } from './undo-proposals.ts';
