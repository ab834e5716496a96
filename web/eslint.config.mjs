// What is checked in the page's modules: names that do not exist, names that nobody uses, and slips that run all the same.
import globals from 'globals';

const checks = {
  'no-undef': 'error', 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }], 'no-redeclare': 'error', 'no-dupe-keys': 'error', 'no-dupe-args': 'error',
  'no-unreachable': 'error', 'no-const-assign': 'error', 'no-fallthrough': 'error', 'no-self-assign': 'error', 'no-self-compare': 'error',
  'no-unsafe-negation': 'error', 'no-shadow-restricted-names': 'error', 'use-isnan': 'error', 'valid-typeof': 'error', 'prefer-const': ['error', { destructuring: 'all' }],
  eqeqeq: 'error', 'no-var': 'error', 'no-empty': 'error', 'no-sparse-arrays': 'error', 'no-import-assign': 'error', 'no-loss-of-precision': 'error',
};

export default [
  { ignores: ['node_modules/**', 'vendor/**'] },
  { files: ['*.js'], languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: globals.browser }, rules: checks },
  { files: ['theme.js', 'unpack.js'], languageOptions: { sourceType: 'script' } },
  { files: ['voices.js'], languageOptions: { globals: globals.audioWorklet } },
  { files: ['tests/*.mjs'], languageOptions: { ecmaVersion: 2023, sourceType: 'module', globals: globals.node }, rules: checks },
];
