/** How names are compared: composed, and without regard to case. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The form in which user names are compared: without regard to case, width, ligatures and the number of spaces (NFKC). */
export function nameKey(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ')
}

/** Base64url without padding (RFC 4648 section 5). */
export function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** The bytes of a base64url text without padding. @throws {Error} for any other text */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (character) => character.charCodeAt(0))
}

/** Whether every database and UTF-8 keep a text as it is: SQLite cuts texts at a NUL, UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** A text with U+FFFD in place of what is not storable, of the same length. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Whether a text has a character that can be seen: more than spaces, formats and fillers. */
export function isVisible(text: string): boolean {
  return /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** Whether a text is read in the order of its characters: it embeds, overrides and isolates no direction (UAX #9). */
export function isInReadingOrder(text: string): boolean {
  return !/[\u202A-\u202E\u2066-\u2069]/u.test(text)
}

/** A text on one line: control characters and separators of lines are spaces, and none is at an end. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** The first `max` UTF-16 code units of a text, without half of a surrogate pair at their end. */
export function startOf(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}

/** A text of `max` UTF-16 code units at most, whose end shows that something was cut off. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${startOf(text, max - 1)}…`
}

/** Whether two texts are the same, without telling by its time where they differ: for secrets and their hashes. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
