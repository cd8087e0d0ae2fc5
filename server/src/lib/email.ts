/** An address as browsers accept it in a form (WHATWG HTML, "valid e-mail address"), with the length limits of RFC 5321. */
const pattern =
  /^(?=.{1,254}$)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;

export function isEmail(text: string): boolean {
  return pattern.test(text);
}
