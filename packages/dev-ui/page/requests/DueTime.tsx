import type { Interrupt } from '@thole/core';
import { formatDuration, formatMoment } from '../components/format.ts';
import { currentSeconds } from '../state/now.ts';
import type { RequestState } from './request-state.ts';

/** The time at which a request expires, or at which a timer is due. */
export function DueTime({ interrupt, state }: { interrupt: Interrupt; state: RequestState }) {
  const { expiresAt, kind } = interrupt;
  if (expiresAt === undefined || (state !== 'open' && state !== 'expired')) return null;
  const left = expiresAt - currentSeconds();
  const isDue = left <= 0;
  const word = kind === 'timer' ? (isDue ? 'Was due' : 'Due') : isDue ? 'Expired' : 'Expires';
  return (
    <p class="muted request-due">
      <Moment word={word} seconds={expiresAt} />
      {!isDue && <>, in {formatLeft(left)}</>}
    </p>
  );
}

function Moment({ word, seconds }: { word: string; seconds: number }) {
  return (
    <>
      {word} <time dateTime={new Date(seconds * 1_000).toISOString()}>{formatMoment(seconds)}</time>
    </>
  );
}

/** Returns whole minutes, or whole seconds in the last minute. */
function formatLeft(seconds: number): string {
  const unit = seconds > 60 ? 60 : 1;
  return formatDuration(Math.ceil(seconds / unit) * unit * 1_000)
    .replace(/\.0 s$/, ' s')
    .replace(/ 0 s$/, '');
}
