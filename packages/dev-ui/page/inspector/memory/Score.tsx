/** A score as a number, and a bar beside it: as long as it is to the best of the same answer. Nothing where there is none. */
export function Score({ score, best }: { score: number | undefined; best: number }) {
  if (score === undefined) return null;
  const share = best > 0 ? Math.max(0, Math.min(score / best, 1)) : 0;
  return (
    <span class="score">
      <span class="score-track" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="num">
        <span class="visually-hidden">score </span>
        {Number(score.toPrecision(3))}
      </span>
    </span>
  );
}
