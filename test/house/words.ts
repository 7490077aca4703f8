import { isTestFile } from './places.ts'
import { lineAt, type SourceText } from './source-text.ts'

type Word = {
  readonly rule: string
  readonly pattern: RegExp
  readonly isIn: 'code' | 'comments'
  readonly isAtHome: (path: string) => boolean
}

const inWorkers = (path: string) => path.startsWith('workers/')
const inTests = (path: string) => path.startsWith('test/') || isTestFile(path)
const nowhere = () => false

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
