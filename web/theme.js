// Before anything is drawn: the theme that was chosen last, or the system's.
document.documentElement.dataset.theme =
  localStorage.getItem('pliant-theme') || (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
