interface Props {
  /** 0 to 1. Undefined if the service does not compute it. */
  relevance?: number | undefined;
  score: number | undefined;
  /** The best score of the same result list. */
  best: number;
}

/**
 * Shows how relevant a memory is, as a percentage and a bar. Without a relevance it shows the score, with a bar relative to the
 * best score of the same answer; without either it shows nothing.
 */
export function Relevance({ relevance, score, best }: Props) {
  if (relevance === undefined && score === undefined) return null;
  const share = relevance ?? (best > 0 ? score! / best : 0);
  const rounded = score === undefined ? undefined : Number(score.toPrecision(3));
  return (
    <span class="score" title={relevance === undefined || rounded === undefined ? undefined : `Score ${rounded}`}>
      <span class="score-track" aria-hidden="true">
        <span style={{ width: `${Math.max(0, Math.min(share, 1)) * 100}%` }} />
      </span>
      <span class="num">
        <span class="visually-hidden">{relevance === undefined ? 'score ' : 'relevance '}</span>
        {relevance === undefined ? rounded : `${Math.round(relevance * 100)} %`}
      </span>
    </span>
  );
}
