// Before the first paint, so that a chosen theme does not flash in the other one.
try {
  const theme = localStorage.getItem('thole:theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
