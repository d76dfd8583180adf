import { useState } from 'preact/hooks';
import { CopyButton } from '../../components/CopyButton.tsx';
import { formatCount } from '../../components/format.ts';
import { Icon } from '../../components/icons.tsx';
import { LongText } from '../../components/LongText.tsx';
import { selectEvent } from '../../state/location.ts';
import { lineDiff } from '../line-diff.ts';
import { DiffText } from '../DiffText.tsx';
import { JsonTree } from '../JsonTree.tsx';
import type { PartChange } from './diff-requests.ts';
import { originNames } from './TokenBar.tsx';

const signs = { same: '', added: '+', changed: '~', removed: '−' } as const;

/** One part of a request: one line, or opened completely. */
export function PartView(p: { change: PartChange; compares: boolean; isOpen: boolean; onToggle: () => void }) {
  const { kind, part, before } = p.change;
  const whole = useState(false);
  const isTool = part.id.startsWith('tool:');
  const actions = (
    <div class="part-actions">
      {part.eventId !== undefined && (
        <button type="button" class="link" onClick={() => selectEvent(part.eventId, 'event')}>
          show event
        </button>
      )}
      <CopyButton text={() => (isTool ? JSON.stringify(part.value, undefined, 2) : part.text)} label="Copy this part" />
    </div>
  );
  return (
    <div class="part" role="listitem" data-change={p.compares ? kind : undefined}>
      <button type="button" class="part-head" aria-expanded={p.isOpen} onClick={p.onToggle}>
        <Icon name={p.isOpen ? 'down' : 'right'} size={12} />
        {p.compares && (
          <>
            <span class="part-sign mono" aria-hidden="true">
              {signs[kind]}
            </span>
            <span class="visually-hidden">{kind}</span>
          </>
        )}
        <span class="origin-dot" data-origin={part.origin} aria-hidden="true" />
        <span class="part-title">{part.title}</span>
        <span class="muted part-note">
          {part.note ?? (part.id.startsWith('content:') ? originNames[part.origin] : '')}
        </span>
        <span class="num muted part-tokens">{part.tokens === undefined ? '' : `≈ ${formatCount(part.tokens)}`}</span>
        {!p.isOpen && part.text !== '' && (
          <span class="part-preview muted">{part.text.slice(0, 400).replace(/\s+/g, ' ')}</span>
        )}
      </button>
      {p.isOpen && (
        <div class="part-body">
          {p.compares && kind === 'changed' && before ? (
            <>
              {actions}
              <DiffText lines={lineDiff(before.text, part.text)} label={`Changes in ${part.title}`} />
            </>
          ) : isTool ? (
            <>
              {actions}
              <JsonTree value={part.value} label={part.title} />
            </>
          ) : (
            <div class="part-text" tabIndex={0} role="group" aria-label={part.title}>
              {actions}
              <LongText text={part.text} whole={whole}>
                {(text) => <pre>{text}</pre>}
              </LongText>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
