import { MenuButton, MenuItem, MenuProvider } from '@ariakit/react';
import { Icon } from '../components/icons.tsx';
import { OpenMenu } from '../components/OpenMenu.tsx';
import { apps } from '../state/apps.ts';
import { appName, go } from '../state/location.ts';

/** Shows the open app and selects another. */
export function AppMenu() {
  const known = apps.value ?? [];
  const name = appName.value;
  return (
    <MenuProvider>
      <MenuButton class="button button-quiet top-menu top-app" aria-label={`App: ${name ?? 'none'}`}>
        <strong>{name ?? 'no app'}</strong>
        <Icon name="down" size={12} />
      </MenuButton>
      <OpenMenu class="menu" gutter={6} aria-label="Apps" portal>
        {known.length === 0 && <p class="menu-empty muted">No apps yet.</p>}
        {known.map((app) => (
          <MenuItem
            key={app.name}
            class="menu-item"
            aria-current={app.name === name ? 'true' : undefined}
            onClick={() => go({ app: app.name, session: undefined, event: undefined })}
          >
            <span class="menu-check">{app.name === name && <Icon name="check" size={14} />}</span>
            <span>
              {app.name}
              {app.description && <small class="muted">{app.description}</small>}
            </span>
          </MenuItem>
        ))}
      </OpenMenu>
    </MenuProvider>
  );
}
