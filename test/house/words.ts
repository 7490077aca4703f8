import { isTestFile } from './places.ts'
import { lineAt, type SourceText } from './source-text.ts'

type Word = {
  readonly rule: string
  readonly pattern: RegExp
  readonly isIn: 'code' | 'comments'
  readonly isAtHome: (path: string) => boolean
}

/** Code that runs in a host or in a browser, not in the service. */
const inWorkers = (path: string) => path.startsWith('workers/') || path.startsWith('src/console/')
const inTests = (path: string) => path.startsWith('test/') || isTestFile(path)
const nowhere = () => false
const outsideEngine = (path: string) => !path.startsWith('src/monitoring/engine/') || inTests(path)

/** A getter with an assignment to a field, or a call that flushes. Blocks in it nest once. */
const WRITING_GETTER =
  /\bget \w+\(\)[^{}]*\{(?:[^{}]|\{(?:[^{}]*\})?)*?(?:\bthis\.[#\w.]+\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--)|flush\w*\()/g

/** A name that stands for a secret, or for what proves one. */
const SECRET = String.raw`\b[\w.]*(?:[pP]assword|[pP]asswordHash|[sS]ecret|[tT]oken|[vV]erifier|[cC]hallenge|[lL]oginCode|[sS]essionId)\b`
/** A comparison with anything but what shows that there is none. */
const UNLIKE = String.raw`[!=]==?(?!=|\s*(?:undefined\b|null\b|''))`

/** Words that may stand in one part of the house only. */
const WORDS: readonly Word[] = [
  {
    rule: 'wall 6: the clock is a port',
    pattern:
      /\bDate\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b|\bperformance\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g,
    isIn: 'code',
    isAtHome: (path) => inWorkers(path) || inTests(path),
  },
  {
    rule: 'wall 6: randomness is a port',
    pattern: /\bMath\s*\.\s*random\b/g,
    isIn: 'code',
    isAtHome: inWorkers,
  },
  {
    rule: 'the log is a port',
    pattern: /\bconsole\s*\.\s*\w+/g,
    isIn: 'code',
    isAtHome: (path) => inWorkers(path) || path.startsWith('test/'),
  },
  {
    rule: 'writes that belong together are one batch: D1 has no interactive transaction',
    pattern: /\.\s*transaction\s*[(<]/g,
    isIn: 'code',
    isAtHome: nowhere,
  },
  {
    rule: 'secrets and their hashes are compared by `sameText`, which tells nothing by its time',
    pattern: new RegExp(`${SECRET}\\)*\\s*${UNLIKE}|[!=]==?\\s*(?:await\\s+)?${SECRET}(?![\\w.(?])`, 'g'),
    isIn: 'code',
    isAtHome: (path) => !/^src\/(?:access|http)\//.test(path) || inTests(path),
  },
  {
    rule: 'a getter of the engine changes nothing',
    pattern: WRITING_GETTER,
    isIn: 'code',
    isAtHome: outsideEngine,
  },
  {
    rule: 'unfinished work is an issue',
    pattern: /\b(?:TODO|FIXME)\b/g,
    isIn: 'comments',
    isAtHome: nowhere,
  },
  {
    rule: 'a switched-off lint rule gives its reason after --',
    pattern: /\b(?:oxlint|eslint)-disable(?![^\n]*\s--\s+\S)[\w-]*/g,
    isIn: 'comments',
    isAtHome: nowhere,
  },
]

export type Finding = { readonly line: number; readonly rule: string; readonly detail: string }

/** The words of a TypeScript file that stand where they have no home. */
export function strayWords(path: string, source: SourceText): Finding[] {
  return WORDS.filter((word) => !word.isAtHome(path)).flatMap(({ rule, pattern, isIn }) =>
    [...source[isIn].matchAll(pattern)].map((match) => ({
      line: lineAt(source[isIn], match.index),
      rule,
      detail: match[0].trim(),
    })),
  )
}

/** Imports of zod that would take every locale along. */
export function wholeZod(source: SourceText): Finding[] {
  return source.imports
    .filter(({ specifier, clause, isTypeOnly }) => specifier === 'zod' && !isTypeOnly && clause !== '* as z')
    .map(({ line, clause }) => ({ line, rule: "zod is imported as `* as z from 'zod'`", detail: clause }))
}

/** A word that new text does not use, and the words to use instead. */
type Banned = { readonly word: string; readonly pattern: RegExp; readonly use: string }

/** Words of a comment may stand on two lines. */
const BETWEEN = String.raw`\s+(?:\*\s+|//\s+)?`

const word = (text: string, use: string, pattern = text): Banned => ({
  word: text,
  pattern: new RegExp(String.raw`\b${pattern.replaceAll(' ', BETWEEN)}\b`, 'g'),
  use,
})
/** A sentence that begins with a pronoun: it is the only place of a capital. */
const opener = (text: string, use: string): Banned => ({ ...word(text, use), word: `${text} …` })

/** Words of which only fewer may come; their numbers are in test/snapshots/plain-words.txt. */
export const BANNED: readonly Banned[] = [
  opener('What', 'the name of the thing'),
  opener('Whatever', 'any, every'),
  opener('Who', 'the caller, the user, the sender'),
  opener('Whoever', 'the caller, the user, the sender'),
  word('anybody', 'any user, everyone'),
  word('are none', 'are not, there is no'),
  word('are told', 'are notified, are reported'),
  word('belong into', 'belong in', 'belongs? into'),
  word('carried on', 'processed, continued'),
  word('deaf', 'ingest gap'),
  word('doomed', 'orphaned'),
  word('is no', 'is not a, there is no', String.raw`(?<![Tt]here )is no(?! longer| more)`),
  word('is none', 'is not a, there is no'),
  word('is told', 'is notified, is reported'),
  word('keeper', 'engine', 'keepers?'),
  word('looked at', 'checked'),
  word('nobody', 'no user, no caller, no reader'),
  word('nought', 'zero'),
  word('somebody', 'a user, a caller'),
  word('stood still', 'was suspended'),
  word('that of', 'the noun again'),
  word('those of', 'the noun again'),
  word('upon which', 'then'),
  word('whatever', 'any, every'),
  word('whoever', 'the caller, the user, the sender'),
  word('whom', 'the user that'),
  word('whomever', 'the user that'),
]
