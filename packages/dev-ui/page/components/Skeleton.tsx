/** Grey lines in place of a text that is loading. They appear after 150 ms, so that a fast answer does not flicker. */
export function Skeleton({ lines = 3 }: { lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} style={{ width: `${[92, 74, 84, 60][i % 4]}%` }} />
      ))}
    </div>
  );
}
