// The differences that README.md names, each with a figure from docs/benchmarks.md.

/** Returns the list of differences as Markdown. Throws if the page has no such figure. */
export function differences(benchmarks) {
  const row = (name, other = '') =>
    cellsOf(benchmarks, (cells) => cells[0].startsWith(name) && cells[2].startsWith(other));
  const turn = row('turn at 1,000 events', 'adk');
  const calls = row('8 tool calls of 100 ms in one turn');
  const imports = row('import of runner, tools and mem-services');
  const server = row('POST /run: CPU of the server a run');
  const [, found] = cellsOf(benchmarks, ([name]) => name === 'Thole on SQLite');
  const [, fts] = cellsOf(benchmarks, ([name]) => name === 'SQLite FTS5');
  const valueOf = (cell) => cell.replace(/^[^\d]*/, '');
  return [
    `- **Long conversations stay cheap.** A turn at 1,000 events takes ${turn[1]}; in \`@google/adk\` ${valueOf(turn[2])}.`,
    `- **Tool calls run at the same time.** 8 calls of 100 ms take ${calls[1]}; one after another ${valueOf(calls[2])}.`,
    `- **Memory finds the right turn**, without a model: ${found} % among the first 5 results; SQLite FTS5 ${fts} %.`,
    `- **Serving is cheap.** A run over HTTP takes ${server[1]} of CPU; with ADK's server ${valueOf(server[2])}.`,
    `- **It starts fast.** Importing it takes ${imports[1]}; \`@google/adk\` ${valueOf(imports[2])}.`,
  ].join('\n');
}

/** Returns the text with new lines between `<!-- name:begin -->` and `<!-- name:end -->`. */
export function replaceBetween(text, name, lines) {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${lines}\n${text.slice(to)}`;
}

function cellsOf(benchmarks, isWanted) {
  const rows = benchmarks.split('\n').filter((line) => line.startsWith('| '));
  const found = rows
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
    .find(isWanted);
  if (!found) throw new Error('docs/benchmarks.md does not have a figure that README.md names.');
  return found;
}
