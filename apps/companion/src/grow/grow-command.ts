import { TholeError } from '@thole/core';
import { describeChange } from './describe-change.ts';
import type { Growth, ShownProposal } from './growth.ts';

/** Arguments of `companion grow`: `grow`, `grow show`, `grow apply <numbers|all>`, `grow undo`. */
export interface GrowCommand {
  argv: readonly string[];
  userId: string;
  growth: Growth;
  print: (text: string) => void;
}

/** Runs `companion grow`. Throws `INVALID_INPUT` for wrong arguments. */
export async function runGrowCommand({ argv, userId, growth, print }: GrowCommand): Promise<void> {
  const [verb = 'run', ...rest] = argv;
  switch (verb) {
    case 'run':
      return print(describeProposals(await growth.propose(userId)));
    case 'show':
      return print(describeProposals(await growth.list(userId)));
    case 'apply': {
      const shown = await growth.list(userId);
      const { applied, refused } = await growth.apply(userId, selectIds(rest, shown), userId);
      return print([`Applied: ${applied}.`, ...refused.map((reason) => `Not applied: ${reason}.`)].join('\n'));
    }
    case 'undo': {
      const undone = await growth.undo(userId);
      return print(undone === undefined ? 'There is nothing to undo.' : `Undone: ${undone}.`);
    }
    default:
      throw new TholeError('INVALID_INPUT', 'Use grow, grow show, grow apply <numbers|all> or grow undo.');
  }
}

/** Returns the lines that show proposals with their reasons and evidence. */
function describeProposals(shown: readonly ShownProposal[]): string {
  if (shown.length === 0) return 'There is nothing to propose.';
  return shown.map((each, i) => describeProposal(each, i + 1)).join('\n');
}

function describeProposal({ proposal, evidence }: ShownProposal, number: number): string {
  const quotes = evidence.map((quote) => `     ${quote.author}: ${quote.text}`);
  return [`${number}. ${describeChange(proposal)}`, `   because ${proposal.reason}`, ...quotes].join('\n');
}

function selectIds(words: readonly string[], shown: readonly ShownProposal[]): string[] {
  if (words.length === 1 && words[0] === 'all') return shown.map(({ proposal }) => proposal.id);
  const numbers = words.flatMap((word) => word.split(',')).filter((word) => word !== '');
  if (numbers.length === 0) throw new TholeError('INVALID_INPUT', 'Pass the numbers of the proposals, or all.');
  return numbers.map((word) => {
    const selected = /^\d+$/.test(word) ? shown[Number(word) - 1] : undefined;
    if (!selected)
      throw new TholeError('INVALID_INPUT', 'There is no proposal with this number. grow show lists them.');
    return selected.proposal.id;
  });
}
