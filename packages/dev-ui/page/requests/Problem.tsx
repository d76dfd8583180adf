/** The problem of a field or a form, announced when it appears. */
export function Problem({ id, text }: { id?: string | undefined; text: string | undefined }) {
  return (
    <p id={id} class="field-problem" role="status">
      {text}
    </p>
  );
}
