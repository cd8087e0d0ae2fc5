import { defineFeature } from '../define.ts';

/** The pages of the console; its data comes from the API. */
export const consolePages = defineFeature({
  tag: 'Pages',
  description: '',
  mount: 'root',
  routes: async () => (await import('./routes.ts')).consoleRoutes(),
});
