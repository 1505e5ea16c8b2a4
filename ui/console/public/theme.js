// Before the first paint, so that nothing flashes.
(function () {
  var theme = 'system';
  try {
    theme = JSON.parse(localStorage.getItem('fermata.preferences') || '{}').theme || theme;
  } catch (error) {
    // A browser that keeps nothing gets the system's theme.
  }
  var dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
