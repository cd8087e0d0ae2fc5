import { defineFeature } from '../define.ts';
import { failuresOf } from '../auth/failures.ts';

export const invites = defineFeature({
  tag: 'Invites',
  description: 'Accepting invitations.',
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).invitationRoutes(ctx, failuresOf(ctx)),
});

export const invitePages = defineFeature({
  tag: 'Pages',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./page-routes.ts')).invitePageRoutes(ctx),
});
