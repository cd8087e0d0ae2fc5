import type { Examples } from '../../http/examples.ts';
import type { ChangePassword, SignIn } from './schemas.ts';

export const signIn: Examples<typeof SignIn> = {
  'Sign in with e-mail and password': { email: 'ada@example.com', password: 'violet-anvil-harbour-92' },
};

export const changePassword: Examples<typeof ChangePassword> = {
  'Change the password': { current_password: 'violet-anvil-harbour-92', new_password: 'maple-quartz-lantern-57' },
};
