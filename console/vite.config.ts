import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    target: ['chrome131', 'firefox132', 'safari18'],
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // Says which files a screen loads: see `budgets.test.ts`.
    manifest: true,
    // Grammars of large languages, each loaded when a file needs it.
    chunkSizeWarningLimit: 1_000,
    assetsInlineLimit: 0,
  },
  worker: { format: 'es' },
});
