/** The path of each icon, on a grid of 16 × 16. */
const paths = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.5 10.5 14 14',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  whole: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  panel: 'M2.5 3.5h11v9h-11zM10 3.5v9',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  check: 'M3 8.5 6.5 12 13 4.5',
  down: 'M4 6.5 8 10.5l4-4',
  right: 'M6.5 4 10.5 8l-4 4',
  up: 'M8 13V3.5M4 7.5l4-4 4 4',
  stop: 'M4.5 4.5h7v7h-7z',
  edit: 'M10.5 3 13 5.5 6 12.5l-3 .5.5-3zM9 4.5 11.5 7',
  attach: 'M12.5 7.5 8 12a2.8 2.8 0 0 1-4-4l5-5a1.9 1.9 0 0 1 2.7 2.7l-4.9 4.9a.9.9 0 0 1-1.3-1.3L9.8 5',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  tool: 'M9.6 5.2a3 3 0 0 1 3.7-2.5l-2 2 1 1 2-2a3 3 0 0 1-3.9 3.7L5 12.8A1.3 1.3 0 0 1 3.2 11l5.4-5.4',
  request: 'M2.5 4.5h7M2.5 8h11M2.5 11.5h5',
  warn: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  download: 'M8 2.5v7M4.5 7 8 10.5 11.5 7M3 13.5h10',
  upload: 'M8 10.5v-7M4.5 6.5 8 3l3.5 3.5M3 13.5h10',
  undo: 'M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5l3-3M3 6.5l3 3',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3.2H9.8',
  branch: 'M4.5 2.5v11M4.5 10h3.5a3.5 3.5 0 0 0 3.5-3.5v-4M9.3 4.7l2.2-2.2 2.2 2.2',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2 1.3',
  dots: 'M4 8h.01M8 8h.01M12 8h.01',
} as const;

export type IconName = keyof typeof paths;

/** An icon in the colour of the text. `size` is in pixels at the default text size. Screen readers ignore it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number | undefined }) {
  const thick = name === 'more' || name === 'dots';
  // As the text, in rem.
  const length = `${size / 16}rem`;
  return (
    <svg class="icon" width={length} height={length} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width={thick ? 2.2 : 1.4}
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
