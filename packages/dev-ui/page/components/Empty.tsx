import type { ComponentChildren } from 'preact';

/** A placeholder for an empty list: what it would show, and what to do first. */
export function Empty(props: { title: string; text?: string | undefined; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.text && <p class="muted">{props.text}</p>}
      {props.children && <div class="empty-actions">{props.children}</div>}
    </div>
  );
}
