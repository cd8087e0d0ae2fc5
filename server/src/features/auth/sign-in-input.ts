import { FieldError, fieldError } from '../../lib/field-error.ts';
import type { PasswordSignIn, SignIn } from './schemas.ts';

/** Returns e-mail and password. Throws 400 `invalid_request` that names the missing field. */
export function passwordIn({ email, password, organization }: SignIn): PasswordSignIn {
  if (email === undefined || password === undefined) {
    const path = email === undefined ? '/email' : '/password';
    throw new FieldError([{ path, keyword: 'required', message: 'is required' }]);
  }
  return { email, password, organization };
}

/** Returns the key of a first sign-in. Throws 400 `invalid_request` if more was sent. */
export function keyIn({ key = '', ...others }: SignIn): string {
  if (Object.keys(others).length > 0) throw fieldError('/key', 'cannot be combined with other fields.');
  return key;
}
