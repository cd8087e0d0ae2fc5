import { credentialHeader, gitCredential } from '../../lib/credentials.ts';
import { fieldError } from '../../lib/field-error.ts';
import { maxValueBytes, type SecretExposure, type SecretKind } from './schemas.ts';

/** The properties of a secret beside its value. */
export interface SecretTraits {
  readonly kind: SecretKind;
  readonly exposure: SecretExposure;
  readonly allowed_hosts: readonly string[];
}

/** Variables that decide how programs in a sandbox run or where they connect; only the platform sets them. */
const reserved = new Set([
  'ALL_PROXY',
  'ANTHROPIC_BASE_URL',
  'BASH_ENV',
  'CDPATH',
  'CODEX_HOME',
  'ENV',
  'GOOGLE_GEMINI_BASE_URL',
  'HOME',
  'HOSTNAME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'IFS',
  'IS_SANDBOX',
  'LANG',
  'LOGNAME',
  'NO_PROXY',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_USE_ENV_PROXY',
  'OLDPWD',
  'OPENAI_BASE_URL',
  'OPENCODE_CONFIG_CONTENT',
  'PATH',
  'PIP_BREAK_SYSTEM_PACKAGES',
  'PIP_DISABLE_PIP_VERSION_CHECK',
  'PIP_INDEX_URL',
  'PIP_TRUSTED_HOST',
  'PROMPT_COMMAND',
  'PS4',
  'PWD',
  'SHELL',
  'SSH_ASKPASS',
  'TEMP',
  'TERM',
  'TMP',
  'TMPDIR',
  'USER',
  'UV_DEFAULT_INDEX',
  'YARN_NPM_REGISTRY_SERVER',
  'YARN_UNSAFE_HTTP_WHITELIST',
]);
/** Variables that make a common program load or run something: a shared secret must not act in another member's session. */
const commanding = new Set([
  'ANSIBLE_CONFIG',
  'AR',
  'AS',
  'BASHOPTS',
  'BROWSER',
  'BUNDLE_GEMFILE',
  'BUNDLE_PATH',
  'CARGO_BUILD_RUSTC',
  'CARGO_BUILD_RUSTDOC',
  'CC',
  'CLASSPATH',
  'CMAKE_TOOLCHAIN_FILE',
  'COREPACK_NPM_REGISTRY',
  'COREPACK_ROOT',
  'COVERAGE_PROCESS_START',
  'CXX',
  'DOTNET_STARTUP_HOOKS',
  'EDITOR',
  'FPATH',
  'GCONV_PATH',
  'GEM_PATH',
  'GOPATH',
  'GOPROXY',
  'GOROOT',
  'GOTOOLDIR',
  'GTK_MODULES',
  'GTK_PATH',
  'HOSTALIASES',
  'INPUTRC',
  'JULIA_DEPOT_PATH',
  'JULIA_LOAD_PATH',
  'LD',
  'LESSCLOSE',
  'LESSOPEN',
  'LOCPATH',
  'LUA_INIT',
  'MAKEFILES',
  'MANPAGER',
  'NODE_EXTRA_CA_CERTS',
  'NODE_REPL_EXTERNAL_MODULE',
  'NVM_DIR',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'PAGER',
  'PERL5DB',
  'PERL5LIB',
  'PERL5OPT',
  'PGSERVICEFILE',
  'PGSYSCONFDIR',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'PIP_CONFIG_FILE',
  'PYTEST_ADDOPTS',
  'PYTEST_PLUGINS',
  'PYTHONBREAKPOINT',
  'PYTHONEXECUTABLE',
  'PYTHONHOME',
  'PYTHONINSPECT',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PYTHONUSERBASE',
  'PYTHONWARNINGS',
  'QT_PLUGIN_PATH',
  'RUBYLIB',
  'RUBYOPT',
  'RUSTC',
  'RUSTDOC',
  'R_ENVIRON',
  'R_PROFILE',
  'R_PROFILE_USER',
  'SHELLOPTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'SWIFT_EXEC',
  'TCLLIBPATH',
  'TERMCAP',
  'TERMINFO',
  'TF_CLI_ARGS',
  'TF_CLI_CONFIG_FILE',
  'TSX_TSCONFIG_PATH',
  'TS_NODE_PROJECT',
  'UV_CONFIG_FILE',
  'VIMINIT',
  'VISUAL',
  'WGETRC',
  'YARN_IGNORE_PATH',
  'YARN_PLUGINS',
  'YARN_RC_FILENAME',
  'ZDOTDIR',
]);
/** Suffixes of such variables: CFLAGS, GNUMAKEFLAGS, MAVEN_OPTS, CURL_HOME, RUSTC_WRAPPER. */
const commandingEnd = /(?:FLAGS|_OPTS|_OPTIONS|_HOME|_LINKER|_RUNNER|_WRAPPER)$/;
const reservedBeginnings = [
  'BASH_FUNC_',
  'CARGO_ALIAS_',
  'DYLD_',
  'GIT_',
  'GUILDHALL_',
  'LC_',
  'LD_',
  'NPM_CONFIG_',
  'XDG_',
];

/** Tells if the sandbox or its programs interpret a variable, in any case: some read both. */
export function isReserved(key: string): boolean {
  const name = key.toUpperCase();
  return (
    reserved.has(name) ||
    commanding.has(name) ||
    commandingEnd.test(name) ||
    reservedBeginnings.some((beginning) => name.startsWith(beginning))
  );
}

/** Throws 400 for a reserved name. */
export function refuseReserved(key: string, path: string): void {
  if (isReserved(key))
    throw fieldError(path, `: ${key} is reserved by the sandbox or its programs. Choose another name.`);
}

/** Throws 400 for a value that is too long or does not fit its kind; messages never contain it. */
export function refuseValue(value: string, { kind, exposure }: SecretTraits, path: string): void {
  if (Buffer.byteLength(value) > maxValueBytes)
    throw fieldError(path, `is longer than ${maxValueBytes} bytes in UTF-8.`);
  if (kind === 'git_credential' && gitCredential(value) === undefined)
    throw fieldError(path, ': a git credential must be user:password or a token, in printable ASCII without spaces.');
  if (exposure === 'broker' && kind === 'env' && credentialHeader(value) === undefined)
    throw fieldError(
      path,
      ': a brokered value becomes a header, so it must be one line of printable ASCII and must not be a header ' +
        'that frames a message.',
    );
}

/** Throws 400 for contradictory properties. */
export function refuseTraits({ kind, exposure, allowed_hosts: hosts }: SecretTraits, path: string): void {
  if (exposure === 'broker' && kind === 'file')
    throw fieldError(
      `${path}/exposure`,
      ': a secret of the kind "file" must enter the sandbox. Use the exposure "sandbox".',
    );
  if ((exposure === 'broker' || kind === 'git_credential') && hosts.length === 0) {
    const what = kind === 'git_credential' ? 'a git credential' : 'exposure "broker"';
    throw fieldError(`${path}/allowed_hosts`, `: ${what} needs at least one host.`);
  }
}
