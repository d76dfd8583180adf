// The module that components of other packages import as `react`: `preact/compat`, with three differences from React
// removed. Its types are those of `preact/compat`, by `paths` in tsconfig.json.
import { options } from 'preact';

export * from 'preact/compat';
export { default } from 'preact/compat';

// In Preact, this hook runs after refs are set, which is too late for components that call a handler from a ref. If the
// hook is undefined, these components update their handlers while they render.
export const useInsertionEffect = undefined;

// React's events are plain objects: `currentTarget` can be set until the next handler, and a spread copies their
// members, which components use to create the event for the active item.
const native = Object.getOwnPropertyDescriptor(Event.prototype, 'currentTarget');
const copied = [
  'bubbles',
  'cancelable',
  'key',
  'code',
  'location',
  'repeat',
  'ctrlKey',
  'shiftKey',
  'altKey',
  'metaKey',
];
const before = options.event?.bind(options);
options.event = (event) => {
  let chosen = null;
  Object.defineProperty(event, 'currentTarget', {
    configurable: true,
    get: () => chosen ?? native.get.call(event),
    set: (target) => {
      chosen = target;
    },
  });
  if (event.type.startsWith('key')) {
    for (const name of copied)
      Object.defineProperty(event, name, { configurable: true, enumerable: true, value: event[name] });
  }
  return before ? before(event) : event;
};
