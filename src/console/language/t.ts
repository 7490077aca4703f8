import { signal } from '@preact/signals'

/** The languages of the console. */
export const LANGUAGES = ['en', 'de', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]
/** Texts by key. */
export type Catalogue = Readonly<Record<string, string>>
/** The catalogues of one part of the console, each loaded when its language is used. */
export type Words = { readonly [L in Language]: () => Promise<{ readonly default: Catalogue }> }
type Values = Readonly<Record<string, string | number>>

export const language = signal<Language>('en')
/** Counts the catalogues that were loaded: a component that renders a text is rendered again. */
const loaded = signal(0)
const texts = new Map<string, string>()
/** Texts of the service's own translations, which replace texts of the catalogue. */
const overlay = new Map<string, string>()
const known = new Set<Words>()

/** Loads the words of a part of the console in the language of the page. */
export async function loadWords(words: Words): Promise<void> {
  if (known.has(words)) return
  known.add(words)
  let read: Language
  let catalogue: Catalogue
  do {
    read = language.value
    catalogue = (await words[read]()).default
  } while (read !== language.value)
  keep(catalogue)
}

/** Changes the language of the page. */
export async function changeLanguage(to: Language): Promise<void> {
  if (to !== language.value) {
    let catalogues: readonly { readonly default: Catalogue }[] = []
    // A screen whose words are loaded meanwhile takes part in the change.
    while (catalogues.length < known.size)
      catalogues = await Promise.all([...known].map((words) => words[to]()))
    language.value = to
    for (const { default: catalogue } of catalogues) keep(catalogue)
  }
  document.documentElement.lang = to
}

/** The language of the console that fits a user's language tag or the browser's. */
export function languageFor(tags: readonly string[]): Language {
  for (const tag of tags) {
    const short = tag.slice(0, 2).toLowerCase()
    const match = LANGUAGES.find((one) => one === short)
    if (match) return match
  }
  return 'en'
}

/** Replaces texts of the catalogue by the service's translations. */
export function overlayTexts(entries: Iterable<readonly [key: string, text: string]>): void {
  overlay.clear()
  for (const [key, text] of entries) overlay.set(key, text)
  loaded.value += 1
}

function keep(catalogue: Catalogue): void {
  for (const [key, text] of Object.entries(catalogue)) texts.set(key, text)
  loaded.value += 1
}

/** The text of a key in the language of the page, with values in place of `{name}`. A plural is written
 * `{count, plural, one {# job} other {# jobs}}` with the categories of CLDR and `=0`; `#` is the number. */
export function t(key: string, values: Values = {}): string {
  void loaded.value
  return format(overlay.get(key) ?? texts.get(key) ?? key, values, language.value)
}

/** The text of a key as its catalogue has it; undefined if none has the key. */
export function textOf(key: string): string | undefined {
  return overlay.get(key) ?? texts.get(key)
}

/** The texts whose keys begin with a prefix, each with the rest of its key. */
export function textsBelow(prefix: string): readonly (readonly [rest: string, text: string])[] {
  return [...texts.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => [key.slice(prefix.length), textOf(key) ?? ''])
}

/** Puts values into a pattern. */
export function format(pattern: string, values: Values, locale: string): string {
  let result = ''
  let at = 0
  while (at < pattern.length) {
    const open = pattern.indexOf('{', at)
    if (open < 0) return result + pattern.slice(at)
    const close = closingBrace(pattern, open)
    result += pattern.slice(at, open) + argument(pattern.slice(open + 1, close), values, locale)
    at = close + 1
  }
  return result
}

function closingBrace(pattern: string, open: number): number {
  let depth = 0
  for (let at = open; at < pattern.length; at++) {
    if (pattern[at] === '{') depth += 1
    else if (pattern[at] === '}' && --depth === 0) return at
  }
  return pattern.length
}

function argument(inside: string, values: Values, locale: string): string {
  const comma = inside.indexOf(',')
  const name = (comma < 0 ? inside : inside.slice(0, comma)).trim()
  const value = values[name]
  if (value === undefined) return `{${inside}}`
  if (comma < 0) return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : value
  const count = Number(value)
  const choices = choicesOf(inside.slice(inside.indexOf('plural,') + 7))
  const category = new Intl.PluralRules(locale).select(count)
  const choice = choices.get(`=${count}`) ?? choices.get(category) ?? choices.get('other') ?? ''
  return format(withNumber(choice, new Intl.NumberFormat(locale).format(count)), values, locale)
}

/** Puts the number in place of each `#` that no inner argument has for itself. */
function withNumber(choice: string, number: string): string {
  let depth = 0
  let result = ''
  for (const character of choice) {
    if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    result += character === '#' && depth === 0 ? number : character
  }
  return result
}

function choicesOf(text: string): Map<string, string> {
  const choices = new Map<string, string>()
  let at = 0
  for (;;) {
    const open = text.indexOf('{', at)
    if (open < 0) return choices
    const close = closingBrace(text, open)
    choices.set(text.slice(at, open).trim(), text.slice(open + 1, close))
    at = close + 1
  }
}
