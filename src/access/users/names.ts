/** Characters that show nothing, or change how others are shown: joiners, marks of direction, fillers, selectors. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]/u

/** The scripts that one name may have: one of those in use (UAX 31, table 5), or one of the mixtures of East Asia, which are
 * written with Latin letters (UTS 39, "highly restrictive"). */
const SCRIPTS = [
  'Latin Han Hiragana Katakana',
  'Latin Han Bopomofo',
  'Latin Han Hangul',
  'Arabic',
  'Armenian',
  'Bengali',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Hebrew',
  'Kannada',
  'Khmer',
  'Lao',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
].map((scripts) => {
  const named = `Common Inherited ${scripts}`.split(' ').map((script) => String.raw`\p{scx=${script}}`)
  return new RegExp(`^[${named.join('')}]*$`, 'u')
})

/** Why people could take a name for another one; null where they could not. */
export function lookalikeFault(username: string): string | null {
  if (INVISIBLE.test(username)) return 'must have no invisible characters'
  const isOfOne = SCRIPTS.some((script) => script.test(username.normalize('NFKC')))
  return isOfOne ? null : 'must not mix letters of different scripts'
}
