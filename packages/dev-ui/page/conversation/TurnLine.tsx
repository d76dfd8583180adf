import { formatCount, formatDuration } from '../components/format.ts';
import { run } from '../state/run.ts';
import type { TurnFacts } from './turn-facts.ts';

/** Time, tokens, models and, if known, cost of a turn. Empty while the turn runs. */
export function TurnLine({ turn }: { turn: TurnFacts }) {
  const { invocationId, durationMs, tokensIn, tokensOut, models, cost } = turn;
  if (isRunningNow(invocationId)) return null;
  return (
    <dl class="turn-line">
      <Fact name="Time" value={formatDuration(durationMs)} />
      {tokensIn !== undefined && <Fact name="Tokens in" value={formatCount(tokensIn)} />}
      {tokensOut !== undefined && <Fact name="Tokens out" value={formatCount(tokensOut)} />}
      {models.length > 0 && <Fact name={models.length === 1 ? 'Model' : 'Models'} value={models.join(', ')} />}
      {cost !== undefined && <Fact name="Cost" value={cost.toPrecision(3)} />}
    </dl>
  );
}

function isRunningNow(invocationId: string): boolean {
  const state = run.value;
  return state.kind === 'running' && (state.invocationId ?? invocationId) === invocationId;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}
