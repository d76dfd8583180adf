import { callToApprove, escapeHidden } from '@thole/core/kit';
import { describeChange } from '../grow/describe-change.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { channelOfSession } from './read-page-data.ts';
import type { PageData, PersonData, QuestionData } from './read-page-data.ts';

/** Returns the page as text. `note` is the result of the last decision. */
export function renderPage(data: PageData, note?: string): string {
  const names = new Map(data.people.map(({ user }) => [user.id, user.name]));
  const nameOf = (userId: string): string => names.get(userId) ?? userId;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Companion</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header>
          <h1>Companion</h1>
          <a href="/">Refresh</a>
        </header>
        <main>
          <p role="status">${note}</p>
          ${renderSection('Pending approvals', renderApprovals(data, nameOf), 'No approval is pending.')}
          ${renderSection('People', data.people.map(renderPerson), 'No person is known yet.')}
          ${renderSection(
            'Channels',
            data.channels.map((name) => html`<li>${name}</li>`),
            'No channel is turned on.',
          )}
          ${renderSection(
            'Conversations',
            data.conversations.map(
              ({ channel, events, lastUpdateTime, userId }) =>
                html`<li>
                  ${nameOf(userId)} on ${channel}, ${events} ${events === 1 ? 'event' : 'events'}, last at
                  ${formatTime(lastUpdateTime)}
                </li>`,
            ),
            'No conversation is stored.',
          )}
        </main>
      </body>
    </html>`;
  return page.html;
}

function renderSection(title: string, items: readonly Html[], emptyText: string): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  const content =
    items.length === 0
      ? html`<p>${emptyText}</p>`
      : html`<ul>
          ${items}
        </ul>`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}

function renderPerson({ memories, reminders, tasks, user }: PersonData): Html {
  const identities = user.identities.map(({ channel, sender }) => `${channel}: ${sender}`).join(', ');
  return html`<li>
    <h3>${user.name}</h3>
    <p>${user.id}, ${user.role}${identities === '' ? '' : `, ${identities}`}</p>
    ${renderList(`Memories of ${user.name}`, memories)}
    ${renderList(
      `Tasks of ${user.name}`,
      tasks.map(({ title }) => title),
    )}
    ${renderList(
      `Reminders of ${user.name}`,
      reminders.map(({ at, channel, text }) => `${text}, at ${formatTime(at)} on ${channel}`),
    )}
  </li>`;
}

function renderList(title: string, lines: readonly string[]): Html {
  if (lines.length === 0) return html``;
  return html`<details open>
    <summary>${title} (${lines.length})</summary>
    <ul>
      ${lines.map((line) => html`<li>${line}</li>`)}
    </ul>
  </details>`;
}

function renderApprovals(data: PageData, nameOf: (userId: string) => string): Html[] {
  return [
    ...data.requests.map(
      ({ channel, name, sender }) =>
        html`<li>
          <p>${name ?? sender} (${sender}) wants to talk on ${channel}.</p>
          ${renderForm('/sender', { channel, sender }, [`Approve ${name ?? sender}`, `Reject ${name ?? sender}`])}
        </li>`,
    ),
    ...data.questions.map((question) => renderConfirmation(question, nameOf(question.userId))),
    ...data.people.flatMap(({ proposals, user }) =>
      proposals.map(({ evidence, proposal }) => {
        const { id, reason } = proposal;
        return html`<li>
          <p>Memory of ${user.name}: ${describeChange(proposal)}, because ${reason}</p>
          <ul>
            ${evidence.map((quote) => html`<li>${quote.author}: ${quote.text}</li>`)}
          </ul>
          ${renderForm('/proposal', { userId: user.id, id }, ['Apply', 'Dismiss'])}
        </li>`;
      }),
    ),
  ];
}

function renderConfirmation({ interrupt, sessionId, userId }: QuestionData, name: string): Html {
  const { id, invocationId, message } = interrupt;
  const { args, toolName } = callToApprove(interrupt);
  return html`<li>
    <p>${name} on ${channelOfSession(sessionId)}: ${message ?? `Run ${toolName ?? 'the tool'}?`}</p>
    <details open>
      <summary>Call of ${toolName ?? 'the tool'}</summary>
      <pre>${escapeHidden(JSON.stringify(args, null, 2))}</pre>
    </details>
    ${renderForm('/answer', { userId, sessionId, invocationId, id }, ['Approve', 'Reject'])}
  </li>`;
}

/** A form with two buttons: `yes` and `no`. */
function renderForm(
  action: string,
  fields: { readonly [name: string]: string },
  [yes, no]: readonly [string, string],
): Html {
  return html`<form method="post" action="${action}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button name="decision" value="yes">${yes}</button>
    <button name="decision" value="no">${no}</button>
  </form>`;
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
}
