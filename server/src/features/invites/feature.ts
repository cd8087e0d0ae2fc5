import { defineFeature } from '../define.ts';
import { failuresOf } from '../auth/failures.ts';

export const invites = defineFeature({
  tag: 'Invites',
  description: 'Reading and accepting invitations.',
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).invitationRoutes(ctx, failuresOf(ctx)),
});
