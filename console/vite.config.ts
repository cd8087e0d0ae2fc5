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
    assetsInlineLimit: 0,
  },
  worker: { format: 'es' },
});
