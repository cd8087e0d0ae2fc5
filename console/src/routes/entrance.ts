import { createRoute } from '@tanstack/react-router';
import { textsOf } from '../lib/list.ts';
import { root } from './root.ts';
import { screen } from './screen.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '-/sign-in',
  validateSearch: (search) => textsOf(search, ['return_to']),
  component: screen(() => import('../features/sign-in/SignInScreen.tsx'), 'SignInScreen'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '-/invites/$token',
  component: screen(() => import('../features/sign-in/InvitationScreen.tsx'), 'InvitationScreen'),
});

/** The pages of who is not signed in. No organization can have the slug `-`. */
export const entrance = [signIn, invitation] as const;
