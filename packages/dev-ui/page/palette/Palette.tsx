import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
} from '@ariakit/react';
import type { AppInfo } from '@thole/client';
import { isComposing } from '../keys/is-composing.ts';
import { keyName } from '../keys/key-name.ts';
import { isTouch } from '../state/screen.ts';
import { Icon } from '../components/icons.tsx';
import type { IconName } from '../components/icons.tsx';
import { OpenDialog } from '../components/OpenDialog.tsx';
import { openApp } from '../state/apps.ts';
import { commands } from '../state/commands.ts';
import { go } from '../state/location.ts';
import { inspect, showTab } from '../state/open-inspector.ts';
import { events, sessionState } from '../state/session.ts';
import { sessions } from '../state/sessions.ts';
import { findItems } from './find-items.ts';
import type { PaletteItem } from './find-items.ts';
import { paletteOpen, paletteQuery } from './palette-open.ts';
import './palette.css';

const kinds: readonly (readonly [PaletteItem['kind'], string, IconName])[] = [
  ['command', 'Commands', 'right'],
  ['session', 'Sessions', 'menu'],
  ['tool', 'Tools', 'tool'],
  ['event', 'Events', 'request'],
  ['state', 'State', 'edit'],
];

/** Finds sessions, events, tools, state keys and commands, and opens them. */
export function Palette() {
  const close = (): void => void (paletteOpen.value = false);
  return (
    <OpenDialog
      open={paletteOpen.value}
      onClose={close}
      class="palette"
      aria-label="Find anything"
      backdrop={<div class="backdrop" />}
      unmountOnHide
    >
      <Finder close={close} />
    </OpenDialog>
  );
}

function Finder({ close }: { close: () => void }) {
  const query = paletteQuery.value;
  const sources = {
    commands: commands.value,
    sessions: sessions.value ?? [],
    events: events.value,
    state: sessionState.value,
    tools: toolsOf(openApp()),
  };
  const found = findItems(query, sources);
  const select = (item: PaletteItem): void => {
    close();
    // Runs after the dialog has returned the focus.
    requestAnimationFrame(() => openItem(item));
  };
  return (
    <ComboboxProvider open value={query} setValue={(value) => (paletteQuery.value = value)} includesBaseElement={false}>
      <div class="palette-field">
        <Icon name="search" />
        <Combobox
          autoFocus
          autoSelect="always"
          placeholder="Sessions, events, tools, state keys, commands"
          aria-label="Find"
          onKeyDown={(key) => {
            const { currentTarget: field } = key;
            const active = document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
            const isDrawn = field.value === query && active !== null;
            if (key.key !== 'Enter' || isComposing(key) || isDrawn) return;
            // If Enter is pressed before the list is updated, it selects the first item for the typed text.
            const typed = findItems(field.value, sources);
            const first = kinds.flatMap(([kind]) => typed.filter((each) => each.kind === kind))[0];
            if (!first) return;
            key.preventDefault();
            select(first);
          }}
        />
      </div>
      <ComboboxList class="palette-list" alwaysVisible aria-label="Found">
        {kinds.map(([kind, name, icon]) => {
          const items = found.filter((each) => each.kind === kind);
          if (items.length === 0) return null;
          return (
            <ComboboxGroup key={kind}>
              <ComboboxGroupLabel class="palette-kind">{name}</ComboboxGroupLabel>
              {items.map((item) => (
                <ComboboxItem
                  key={item.id}
                  class="row palette-item"
                  focusOnHover
                  setValueOnClick={false}
                  hideOnClick={false}
                  onClick={() => select(item)}
                >
                  <Icon name={icon} size={14} />
                  <span class="palette-label">{item.label}</span>
                  {item.detail && <span class="palette-detail">{item.detail}</span>}
                  {item.keys && !isTouch.value && <kbd>{keyName(item.keys)}</kbd>}
                </ComboboxItem>
              ))}
            </ComboboxGroup>
          );
        })}
        {found.length === 0 && <p class="palette-none muted">Nothing found.</p>}
      </ComboboxList>
    </ComboboxProvider>
  );
}

function openItem(item: PaletteItem): void {
  const id = item.id.slice(item.id.indexOf(':') + 1);
  if (item.kind === 'command')
    commands
      .peek()
      .find((each) => each.id === id)
      ?.run();
  if (item.kind === 'session') go({ session: id, event: undefined });
  if (item.id.startsWith('declared:')) showTab('graph');
  else if (item.kind === 'event' || item.kind === 'tool') inspect(id, 'event');
  if (item.kind === 'state') showTab('state');
}

/** Returns each tool once, also if several agents have it. */
function toolsOf(app: AppInfo | undefined): { name: string; description: string }[] {
  const tools = Object.values(app?.agents ?? {}).flatMap((agent) => agent.tools ?? []);
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}
