/** Names whose values are secrets wherever they stand, and words and ends of words that are secrets. */
const SECRET_NAME = /passw|passphrase|secret|credential/i
const SECRET_PART = /(?:(?:^|[^A-Z])(?:TOKEN|KEY)|PASS|PW|PWD)(?:[^A-Z]|$)/

/** Whether a variable of this name is always a secret: its name has `PASSWORD` in it, ends a word with `PASS`,
 * `PW` or `PWD` (`SMTPPASS`), or has `TOKEN` or `KEY` as a word of its own, also in camel case (specification: Scripts). */
export function isSecretName(name: string): boolean {
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
  return SECRET_NAME.test(name) || SECRET_PART.test(parts)
}

/** Variables that make a program load code, run code or use another server before the script begins. */
const STARTING = [
  // Shells.
  /^(?:ENV|IFS|PATH|CDPATH|FPATH|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|BASH_.*)$/,
  // The loader and the C library.
  /^(?:LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*)$/,
  // Interpreters, and what installs and finds their packages.
  /^(?:PYTHON.*|VIRTUAL_ENV|PIP_.*|POETRY_.*|UV_.*|CONDA_.*)$/,
  /^(?:_?JAVA_.*|JDK_.*|CLASSPATH|NODE_.*|NPM_.*|BUN_.*|DENO_.*)$/,
  /^(?:PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHPRC|PHP_.*|LUA_.*|R_.*|AWKPATH|AWKLIBPATH)$/,
  // Programs that these start, and files that they read first.
  /^(?:GIT_.*|SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|(?:MAN)?PAGER|LESSOPEN|LESSCLOSE|HOME|XDG_.*|CURL_HOME|WGETRC)$/,
  // Where connections lead, and whose certificates are believed.
  /^(?:.*_PROXY|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|OPENSSL_.*|SSL_CERT_.*|SSLKEYLOGFILE|.*_CA_BUNDLE)$/,
  /^SVC_.*$/,
]

/** Whether a variable of this name changes how an interpreter starts, so that it decides what runs. In any case: some
 * programs read either. */
export function changesStart(name: string): boolean {
  const upper = name.toUpperCase()
  return STARTING.some((pattern) => pattern.test(upper))
}
