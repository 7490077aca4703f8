import { maskingOf, MASK } from '../../lib/masking.ts'
import { cutText } from '../../lib/text.ts'
import { isSecretName } from '../scripts/variables.ts'

/** So many arguments of a run are listed, each with so many characters: lists stay small. */
export const ARGUMENTS_SHOWN = 20
export const ARGUMENT_SHOWN_MAX = 200

/** The arguments of a run as lists name it: without the values of secrets, of options that are named like secrets, and of
 * passwords in URLs.
 * @param secrets the values of the secrets that the script gets */
export function shownArguments(given: readonly string[], secrets: readonly string[]): string[] {
  const { mask } = maskingOf(secrets)
  return given.slice(0, ARGUMENTS_SHOWN).map((argument, index) => {
    const isValue = index > 0 && isSecretOption(given[index - 1] ?? '')
    return isValue ? MASK : cutText(withoutSecrets(mask(argument)), ARGUMENT_SHOWN_MAX)
  })
}

/** An option of which the next argument is the value: `--api-key`. */
function isSecretOption(argument: string): boolean {
  return argument.startsWith('-') && !argument.includes('=') && isSecretName(argument.replace(/^-+/, ''))
}

function withoutSecrets(argument: string): string {
  const [, name, equals] = /^([^=]*)(=)/.exec(argument) ?? []
  if (name !== undefined && isSecretName(name.replace(/^-+/, ''))) return `${name}${equals}${MASK}`
  return argument.replaceAll(/(:\/\/[^\s/:@]*):[^\s/@]*@/g, `$1:${MASK}@`)
}
