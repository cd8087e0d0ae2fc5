import { defineFeature } from '../define.ts';

const names = {
  errors: ['user', 'invite'],
  ids: ['usr', 'inv'],
  audit: [
    'invite.accept',
    'invite.create',
    'invite.resend',
    'invite.revoke',
    'member.create',
    'member.delete',
    'member.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    members: typeof names;
  }
}

export const members = defineFeature({
  ...names,
  tag: 'Members',
  description: 'Users in an organization, and their permissions.',
  mount: 'organization',
  routes: async (ctx) => {
    const { inviteRoutes } = await import('./invite-routes.ts');
    const { memberRoutes } = await import('./routes.ts');
    return [...inviteRoutes(ctx), ...memberRoutes(ctx)];
  },
});
