import { Text } from '../../http/schema.ts';
import { fieldError } from '../../lib/field-error.ts';

const minLength = 12;
const maxLength = 1_000;

/** A new password in a request; {@link checkNewPassword} has the other rules. */
export const NewPassword = Text(maxLength, {
  minLength,
  description: `${minLength} to ${maxLength.toLocaleString('en')} characters of any kind; common passwords are rejected.`,
});
/** An existing password, given as proof: an old one may have any length. */
export const GivenPassword = Text(maxLength, { minLength: 1 });

/** Common passwords of at least twelve characters, in lower case; {@link isGuessed} computes others. */
const common = new Set(
  `passwordpassword password1234 password12345 password123456 passw0rd1234 1q2w3e4r5t6y 1qaz2wsx3edc qwertyuiop12
  qwertyuiop123 qwerty123456 qwerty1234567 zaq12wsxcde3 iloveyou1234 letmeinplease administrator administrator1
  adminadminadmin changemechangeme changeme1234 welcome12345 welcome123456 trustno1trustno1 guildhallguildhall
  correcthorsebatterystaple`.split(/\s+/),
);
const runs = [
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '12345678901234567890',
  '09876543210987654321',
];

/**
 * Checks a new password by NIST SP 800-63B: length counts, character classes do not, and common passwords are rejected. Throws
 * 400 `invalid_request` naming the field.
 */
export function checkNewPassword(path: string, password: string, person: { email: string; name: string }): void {
  const problem = problemOfPassword(password, person);
  if (problem !== '') throw fieldError(path, problem);
}

/** Returns the problem of a new password, as a sentence without its subject; `''` for a valid one. */
export function problemOfPassword(password: string, person: { email: string; name: string }): string {
  const plain = password.normalize('NFKC');
  if (Array.from(plain).length < minLength) return `must have at least ${minLength} characters.`;
  // No sign-in could send it.
  if (Array.from(password).length > maxLength) return `must have at most ${maxLength.toLocaleString('en')} characters.`;
  if (isGuessed(plain.toLowerCase(), person)) return 'is easy to guess. Choose another.';
  return '';
}

function isGuessed(password: string, { email, name }: { email: string; name: string }): boolean {
  const [local = ''] = email.toLowerCase().split('@');
  const words = [email.toLowerCase(), local, name.toLowerCase(), 'guildhall', 'password'].filter(
    (word) => word.length > 2,
  );
  const rest = words.reduce((left, word) => left.replaceAll(word, ''), password).replaceAll(/[^\p{Letter}]/gu, '');
  return (
    common.has(password) ||
    new Set(password).size < 4 ||
    runs.some((run) => `${run}${run}`.includes(password)) ||
    (rest.length < 3 && words.some((word) => password.includes(word)))
  );
}
