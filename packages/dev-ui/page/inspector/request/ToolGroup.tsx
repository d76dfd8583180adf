import type { ComponentChildren } from 'preact';
import { formatCount } from '../../components/format.ts';
import { Icon } from '../../components/icons.tsx';
import type { RequestPart } from './request-part.ts';
import { totalTokens } from './request-parts.ts';

/** The tools of a request, collapsed into one line. */
export function ToolGroup(p: {
  tools: readonly RequestPart[];
  isOpen: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}) {
  return (
    <div class="part" role="listitem">
      <button type="button" class="part-head" aria-expanded={p.isOpen} onClick={p.onToggle}>
        <Icon name={p.isOpen ? 'down' : 'right'} size={12} />
        <span class="origin-dot" data-origin="tool" />
        <span class="part-title">{p.tools.length} tools</span>
        <span class="num muted part-tokens">≈ {formatCount(totalTokens(p.tools))}</span>
        {!p.isOpen && (
          <span class="part-preview muted">{p.tools.map(({ title }) => title.replace('Tool ', '')).join(', ')}</span>
        )}
      </button>
      {p.isOpen && (
        <div class="part-group" role="list" aria-label="Tools">
          {p.children}
        </div>
      )}
    </div>
  );
}
