// Sets the theme before the first paint, so that the page does not flash in the other theme.
try {
  const theme = localStorage.getItem('thole:theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
