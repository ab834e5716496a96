// Line icons on a 24 × 24 grid.
const paths = {
  play: '<path d="M8 5.500v13l10.500-6.500z" fill="currentColor"/>',
  pause: '<path d="M8 5v14M16 5v14" stroke-width="3.200"/>',
  step: '<path d="M6 6v12l8.500-6z" fill="currentColor"/><path d="M18 6v12"/>',
  back: '<path d="M18 6v12l-8.500-6z" fill="currentColor"/><path d="M6 6v12"/>',
  reset: '<path d="M5 4.500v5h5"/><path d="M5.600 9.500A7.500 7.500 0 1 1 4.500 13"/>',
  camera: '<path d="M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4z"/><circle cx="12" cy="13" r="3.200"/>',
  save: '<path d="M12 4v10m0 0-4-4m4 4 4-4"/><path d="M4.500 16v3.500h15V16"/>',
  code: '<path d="m8.500 7-5 5 5 5M15.500 7l5 5-5 5"/>',
  theme: '<circle cx="12" cy="12" r="7.500"/><path d="M12 4.500a7.500 7.500 0 0 1 0 15z" fill="currentColor"/>',
  help: '<circle cx="12" cy="12" r="8.500"/><path d="M9.500 9.500a2.500 2.500 0 1 1 3.600 2.300c-.8.400-1.100.9-1.100 1.900"/><path d="M12 16.700v.1" stroke-width="2.400"/>',
  panel: '<rect x="3.500" y="5" width="17" height="14" rx="2"/><path d="M14.500 5v14"/>',
  drag: '<path d="M8 12.500V6.700a1.500 1.500 0 0 1 3 0V11m0-1V5.200a1.500 1.500 0 0 1 3 0V11m0-.5V6.700a1.500 1.500 0 0 1 3 0V15c0 3.300-2 5.500-5.200 5.500-2.600 0-3.800-1-5.300-3.400l-2.300-3.800c-.9-1.500 1-2.700 2-1.600L8 13.500"/>',
  push: '<path d="M4 12h10m0 0-4-4m4 4-4 4"/><path d="M19 5v14"/>',
  pin: '<path d="M9 4h6l-.8 6 3.300 3.500h-11L9.800 10z"/><path d="M12 13.500V20"/>',
  heat: '<path d="M12 3.500c.8 3.500 5 5.500 5 10a5 5 0 0 1-10 0c0-2 1-3.300 2-4.500.3 1.400 1 2 1.600 2.300C10.300 8.500 10.800 5.500 12 3.500z"/>',
  look: '<circle cx="12" cy="12" r="7.500"/><path d="M4.500 12c4 3.500 11 3.500 15 0M12 4.500c-3.500 4-3.500 11 0 15"/>',
  inspect: '<circle cx="12" cy="12" r="2.200" fill="currentColor"/><path d="M12 3.500v4M12 16.500v4M3.500 12h4M16.500 12h4"/>',
  film: '<rect x="4" y="6.500" width="11" height="11" rx="2"/><path d="m15 11 5-3v8l-5-3z"/>',
  stop: '<rect x="7" y="7" width="10" height="10" fill="currentColor"/>',
  knife: '<path d="M4 19.500 15.500 8l4-1.500L18 10.500 8.500 20z"/><path d="M12 11.500l3 3"/>',
  sound: '<path d="M4.500 9.500v5h3.500l4.500 4v-13l-4.500 4z"/><path d="M15.500 9a4.200 4.200 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11"/>',
  mute: '<path d="M4.500 9.500v5h3.500l4.500 4v-13l-4.500 4z"/><path d="m16 9.500 5 5m0-5-5 5"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  focus: '<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/><circle cx="12" cy="12" r="2.500"/>',
};
export const icon = (name) =>
  `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.700" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths[name] || ''}</svg>`;
