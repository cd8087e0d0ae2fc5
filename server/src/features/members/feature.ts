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
  description: 'The people of an organization, and what each of them may do in it.',
  mount: 'organization',
  routes: async (ctx) => {
    const { inviteRoutes } = await import('./invite-routes.ts');
    const { memberRoutes } = await import('./routes.ts');
    return [...inviteRoutes(ctx), ...memberRoutes(ctx)];
  },
});
