import { language, textOf, textsBelow } from './t.ts'
import type { Words } from './t.ts'

/** The texts of refusals in the other languages of the console: the API itself answers in English. */
export const problemWords: Words = {
  en: async () => ({ default: {} }),
  de: () => import('./problems/de.json'),
  fr: () => import('./problems/fr.json'),
}

/** Codes whose text says all that the detail of the API says. */
const WHOLE: ReadonlySet<string> = new Set([
  'malformed_json',
  'unauthenticated',
  'mfa_code_required',
  'not_found',
  'name_taken',
  'job_stopped',
  'alarm_closed',
  'last_administrator',
  'precondition_failed',
  'query_timeout',
  'too_fast',
  'too_many_attempts',
  'overloaded',
  'storage_full',
  'internal',
])

/** The text of a refusal, and beside it the detail of the API in English where the text does not say the same. */
export function problemText(
  code: string,
  detail: string,
): { readonly text: string; readonly original: string | null } {
  const known = faultText(detail)
  const text = language.value === 'en' || known !== detail ? undefined : textOf(`problem.${code}`)
  if (text === undefined) return { text: known, original: null }
  return { text, original: WHOLE.has(code) ? null : detail }
}

/** The refusal of a field in the language of the page, such as `must be at least {limit}`, or the fault of an import; unknown ones
 * stay as they are. A value may be a refusal itself, as in `Sheet {sheet}: {message}`. */
export function faultText(message: string): string {
  if (language.value === 'en') return message
  for (const [pattern, text] of textsBelow('fault.')) {
    const values = valuesIn(pattern, message)
    if (values) return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => faultText(values[name] ?? ''))
  }
  return message
}

/** The values that stand in a message in place of the names of a pattern; null if it does not fit. */
function valuesIn(pattern: string, message: string): Readonly<Record<string, string>> | null {
  const literal = pattern.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
  const match = new RegExp(`^${literal.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`).exec(message)
  return match && { ...match.groups }
}
