import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const app = 'src/app.tsx';

/** Names the files of the app in the page, so that they are on their way before the first script asks for them. */
const preloadApp: Plugin = {
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(app) === true);
      const files = chunk === undefined ? [] : [chunk.fileName, ...chunk.imports];
      return files
        .filter((file) => !html.includes(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/console/${file}` },
          injectTo: 'head',
        }));
    },
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind(), preloadApp],
  build: {
    target: ['chrome131', 'firefox132', 'safari18'],
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // `-` is no organization's slug, and `assets` may be one.
    assetsDir: '-/assets',
    // Says which files a screen loads: see `budgets.test.ts`.
    manifest: true,
    // Grammars of large languages, each loaded when a file needs it.
    chunkSizeWarningLimit: 1_000,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', app],
      output: {
        // Few files for the first page, since a browser loads six at a time; what reads ahead is its own.
        codeSplitting: {
          groups: [
            {
              name: 'ahead',
              tags: ['$initial'],
              test: /src[\\/](ahead|lib[\\/]theme)\.ts$|preload-helper/,
              priority: 2,
            },
            { name: 'react', tags: ['$initial'], test: /node_modules[\\/]react-dom[\\/]/, priority: 1 },
            { name: 'app', tags: ['$initial'], test: (id) => !/src[\\/]main\.ts$|\.(css|html)$/.test(id) },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
});
