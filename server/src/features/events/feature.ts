import { defineFeature } from '../define.ts';

/** `eventTypes` lists the types of events of all features. */
export const events = (eventTypes: () => readonly string[]) =>
  defineFeature({
    tag: 'Events',
    description: 'What happens in an organization, live.',
    mount: 'organization',
    routes: async (ctx) => (await import('./routes.ts')).organizationEventRoutes(ctx, eventTypes),
  });
