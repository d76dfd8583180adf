import { Popover, PopoverDisclosure, PopoverProvider, usePopoverStore } from '@ariakit/react';
import { useState } from 'preact/hooks';
import { Icon } from '../components/icons.tsx';
import { accessToken, forgetAccessToken } from '../state/access-token.ts';
import { go, userId } from '../state/location.ts';

/** Selects the user of sessions and runs. */
export function UserMenu() {
  const store = usePopoverStore();
  const [name, setName] = useState('');
  const user = userId.value;
  return (
    <PopoverProvider store={store}>
      <PopoverDisclosure class="button button-quiet top-menu" aria-label={`User: ${user}`}>
        <span class="top-user">{user}</span>
        <Icon name="down" size={12} />
      </PopoverDisclosure>
      <Popover class="menu user-form" gutter={6} aria-label="User" portal unmountOnHide>
        <form
          onSubmit={(submitted) => {
            submitted.preventDefault();
            if (name.trim() !== '') go({ user: name.trim(), session: undefined, event: undefined });
            setName('');
            store.hide();
          }}
        >
          <label for="user-id">User id</label>
          <div class="user-line">
            <input
              id="user-id"
              class="field"
              placeholder={user}
              value={name}
              autoComplete="off"
              spellcheck={false}
              onInput={(input) => setName(input.currentTarget.value)}
            />
            <button type="submit" class="button">
              Switch
            </button>
          </div>
          <p class="muted">The page shows the sessions, the memory and the `user:` state of this user.</p>
        </form>
        {accessToken.value !== undefined && (
          <button type="button" class="button forget-token" onClick={forgetAccessToken}>
            Forget token
          </button>
        )}
      </Popover>
    </PopoverProvider>
  );
}
