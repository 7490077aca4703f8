import { COMMON_WORDS } from './common-words.ts'

const DIFFERENT_MIN = 5
const PASSPHRASE_MIN = 20
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop']

/** The reason why a password is weak, in words for its user; null for a strong one. Length counts, kinds of characters
 * do not (NIST SP 800-63B): frequent passwords are refused, also with replaced letters and additions. */
export function weaknessOf(
  { password, username }: { readonly password: string; readonly username: string },
  lengthMin: number,
): string | null {
  const text = password.normalize('NFKC').toLowerCase()
  if (Array.from(text).length < lengthMin) return `must have at least ${lengthMin} characters`
  if (new Set(text).size < DIFFERENT_MIN) return `must have at least ${DIFFERENT_MIN} different characters`
  if (isSequence(text)) return 'must not be a sequence of the alphabet, of digits or of the keyboard'
  const bare = bareOf(text)
  if (isNamed(text, username.normalize('NFKC').toLowerCase())) return 'must not be derived from the username'
  if (COMMON_WORDS.has(bare) || COMMON_WORDS.has(text) || isRepeated(bare))
    return 'must not be a commonly used password'
  return null
}

function isNamed(text: string, name: string): boolean {
  if (name.length < 4) return text === name
  return bareOf(text) === bareOf(name) || (text.length < PASSPHRASE_MIN && text.includes(name))
}

/** The word beneath a password: without figures and signs at its ends, and with letters for what looks like them. */
function bareOf(text: string): string {
  const word = text.replace(/^[^\p{L}@$]+/u, '').replace(/[^\p{L}@$]+$/u, '')
  return word.replaceAll(/[0134578@$!]/g, (sign) => LOOKALIKES[sign] ?? sign)
}

function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) {
    const part = text.slice(0, length)
    if (text.length % length === 0 && part.repeat(text.length / length) === text)
      return length < DIFFERENT_MIN || COMMON_WORDS.has(part)
  }
  return false
}

/** Whether each character follows the one before on one row, forwards or backwards, but for three breaks at most. */
function isSequence(text: string): boolean {
  let breaks = 0
  for (let index = 1; index < text.length; index++) {
    const [a, b] = [text.charAt(index - 1), text.charAt(index)]
    if (!ROWS.some((row) => row.includes(a + b) || row.includes(b + a))) breaks++
  }
  return breaks <= Math.min(3, Math.floor(text.length / 4))
}
