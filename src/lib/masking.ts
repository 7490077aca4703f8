import { joined } from './chunks.ts'

/** Shorter ones would mask half of the log and hide nothing. */
const SECRET_LENGTH_MIN = 6
export const MASK = '***'

/** Takes secrets out of a text. */
export type Masking = {
  readonly mask: (text: string) => string
  /** The length of the longest text that is taken out: of a text that was cut, so many characters may be half of one. */
  readonly lengthMax: number
}

/** Masks each value of six characters or more, each line of one that has several, and their base64 forms (RFC 4648,
 * both alphabets), also those in the middle of something longer. */
export function maskingOf(secrets: readonly string[]): Masking {
  const values = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)].map((line) => line.trim()))
  const forms = new Set(values.filter(isLongEnough).flatMap(formsOf).filter(isLongEnough))
  if (forms.size === 0) return { mask: (text) => text, lengthMax: 0 }
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g')
  return { mask: (text) => text.replace(pattern, MASK), lengthMax: longestFirst[0]?.length ?? 0 }
}

const isLongEnough = (text: string) => text.length >= SECRET_LENGTH_MIN

function formsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const encoded = [0, 1, 2].map((before) => base64Within(bytes, before))
  const whole = bytes.toBase64()
  const both = [whole, ...encoded].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
  return [value, ...both]
}

/** The digits of base64 that these bytes alone decide when `before` others, modulo 3, stand in front of them. */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = joined([new Uint8Array(before), bytes], before + bytes.length).toBase64()
  const undecided = before === 0 ? 0 : before + 1
  const isOpen = (before + bytes.length) % 3 !== 0
  return text.slice(undecided, isOpen ? text.indexOf('=') - 1 : undefined)
}
