import type { Signal } from '@preact/signals';
import { Icon } from '../components/icons.tsx';
import type { IconName } from '../components/icons.tsx';
import { IconButton } from '../components/IconButton.tsx';
import { keyName } from '../keys/key-name.ts';
import { togglePalette } from '../palette/palette-open.ts';
import {
  inspectorOpen,
  inspectorShown,
  isNarrow,
  isPhone,
  isTouch,
  sessionsOpen,
  timelineShown,
} from '../state/screen.ts';
import { isDark, theme, toggleTheme } from '../state/theme.ts';
import { AppMenu } from './AppMenu.tsx';
import { ConnectionSign } from './ConnectionSign.tsx';
import { UserMenu } from './UserMenu.tsx';

/** App and user, palette, connection and theme. */
export function TopBar() {
  void theme.value;
  const narrow = isNarrow.value;
  return (
    <header class="top">
      <h1 class="visually-hidden">Thole</h1>
      <a class="skip" href="#message" onClick={skipToMessage}>
        Skip to the message
      </a>
      {isPhone.value && (
        <IconButton
          label="Sessions"
          icon="menu"
          aria-expanded={sessionsOpen.value}
          onClick={() => (sessionsOpen.value = true)}
        />
      )}
      <AppMenu />
      <UserMenu />
      <button type="button" class="find" onClick={togglePalette} aria-keyshortcuts="Meta+K Control+K">
        <Icon name="search" />
        <span class="find-words">Find anything</span>
        {!isTouch.value && <kbd aria-hidden="true">{keyName('⌘K')}</kbd>}
      </button>
      <ConnectionSign />
      <div class="top-buttons">
        {!isPhone.value && <Toggle shown={timelineShown} name="timeline" keys="l" icon="clock" />}
        <Toggle shown={narrow ? inspectorOpen : inspectorShown} name="inspector" keys="i" icon="panel" />
        <IconButton
          label={isDark() ? 'Light theme' : 'Dark theme'}
          icon={isDark() ? 'sun' : 'moon'}
          onClick={toggleTheme}
        />
      </div>
    </header>
  );
}

/** Shows or hides a part of the page. */
function Toggle(p: { shown: Signal<boolean>; name: string; keys: string; icon: IconName }) {
  const { shown } = p;
  return (
    <IconButton
      label={`${shown.value ? 'Hide' : 'Show'} the ${p.name}`}
      keys={p.keys}
      icon={p.icon}
      aria-pressed={shown.value}
      onClick={() => (shown.value = !shown.value)}
    />
  );
}

/** Focuses the message box. The default action of the link would change the address, which contains the route. */
function skipToMessage(click: Event): void {
  click.preventDefault();
  document.getElementById('message')?.focus();
}
