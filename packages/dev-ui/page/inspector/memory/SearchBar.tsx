import { useState } from 'preact/hooks';

/** Searches memory. An empty field lists everything. */
export function SearchBar({ onSearch }: { onSearch: (query: string) => Promise<void> }) {
  const [query, setQuery] = useState('');
  return (
    <form
      class="panel-bar"
      role="search"
      onSubmit={(e) => {
        e.preventDefault();
        void onSearch(query);
      }}
    >
      <input
        class="field"
        type="search"
        placeholder="Search memory"
        aria-label="Search memory"
        value={query}
        onInput={(e) => {
          setQuery(e.currentTarget.value);
          if (e.currentTarget.value === '') void onSearch('');
        }}
      />
      <button type="submit" class="button">
        Search
      </button>
    </form>
  );
}
