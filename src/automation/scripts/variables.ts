/** Names whose values are secrets wherever they stand, and parts of names that are on their own. */
const SECRET_NAME = /passw|passphrase|secret|credential/i
const SECRET_PART = /(?:^|[^A-Z])(?:PASS|PW|PWD|TOKEN|KEY)(?:[^A-Z]|$)/

/** Whether a variable of this name is taken for a secret, whoever says what of it: it has `PASSWORD` in it, or `PASS`, `PW`,
 * `TOKEN` or `KEY` as a part of its own, also in camel case (specification: Scripts). */
export function isSecretName(name: string): boolean {
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
  return SECRET_NAME.test(name) || SECRET_PART.test(parts)
}
