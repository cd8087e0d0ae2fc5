/**
 * Returns a text in which GitLab finds no quick action. A line such as `/merge` in a comment or description would otherwise be
 * carried out with the role of the token's account, whoever wrote it.
 */
export function withoutQuickActions(text: string): string {
  // A backslash before the slash is not shown.
  return text.replaceAll(/^([^\S\r\n\u2028\u2029]*)\/(?=[a-z_]+(?:\s|$))/gim, String.raw`$1\/`);
}
