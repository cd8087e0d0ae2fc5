/** The name by which people call the platform at every host. */
const ownName = 'guildhall';

/** Returns the name of an account without the mark of an App. */
function shortName(account: string): string {
  return account.replace(/\[bot\]$/, '');
}

/** Returns the names by which people give commands: the account of the connection, too. */
export function commandNames(account: string): string[] {
  const name = shortName(account).toLowerCase();
  return name === '' ? [ownName] : [ownName, name];
}

/**
 * Returns the names whose mention asks for work. The account of a person is none, because people talk to persons; one that is a
 * program's is.
 */
export function mentionNames(account: string): string[] {
  const isProgram = account.endsWith('[bot]') || /(?:^|[_-])bot(?:$|[_-])/.test(account);
  return isProgram ? commandNames(account) : [ownName];
}
