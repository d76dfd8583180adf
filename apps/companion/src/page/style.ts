/** Style sheet of the page. */
export const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 3rem; }
header { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; flex-wrap: wrap; }
a { color: inherit; }
h2 { border-bottom: 1px solid; padding-bottom: .25rem; margin-top: 2rem; }
h3 { margin: 0; }
section > ul { list-style: none; padding: 0; }
section > ul > li { margin: 0 0 1rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
form { display: flex; gap: .5rem; flex-wrap: wrap; margin-top: .5rem; }
button { font: inherit; min-height: 2.75rem; padding: .25rem 1rem; }
[role='status']:empty { display: none; }
`;
