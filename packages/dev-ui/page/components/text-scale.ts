/** Returns the text size of the page divided by the default size of browsers, 16 pixels. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}
