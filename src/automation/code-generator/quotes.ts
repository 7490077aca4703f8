import type { Language } from './schema.ts'

/** A text as a literal of a language, for any content. It has no NUL: bash cannot represent it. */
export const quoted: Readonly<Record<Language, (text: string) => string>> = {
  python: doubleQuoted,
  javascript: doubleQuoted,
  bash: (text) => `'${text.replaceAll("'", `'\\''`)}'`,
}

/** Both languages read the strings of JSON. Invisible characters and changes of the reading direction are escaped in ASCII. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
