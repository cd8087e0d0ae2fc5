import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../lib/list.ts';
import { root } from './root.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '-/sign-in',
  validateSearch: (search) => textsOf(search, ['return_to']),
  component: lazyRouteComponent(() => import('../features/sign-in/SignInScreen.tsx'), 'SignInScreen'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '-/invites/$token',
  component: lazyRouteComponent(() => import('../features/sign-in/InvitationScreen.tsx'), 'InvitationScreen'),
});

/** The pages of who is not signed in. No organization can have the slug `-`. */
export const entrance = [signIn, invitation] as const;
