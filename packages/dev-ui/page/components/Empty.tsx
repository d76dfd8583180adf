import type { ComponentChildren } from 'preact';

/** A placeholder for missing content: what it would show, and the next step. */
export function Empty(props: { title: string; text?: string | undefined; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.text && <p class="muted">{props.text}</p>}
      {props.children && <div class="empty-actions">{props.children}</div>}
    </div>
  );
}
