import type { ComponentChildren } from 'preact';

/** What stands where there is nothing yet: what it would be, and what to do first. */
export function Empty(props: { title: string; text?: string | undefined; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.text && <p class="muted">{props.text}</p>}
      {props.children && <div class="empty-actions">{props.children}</div>}
    </div>
  );
}
