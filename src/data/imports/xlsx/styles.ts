import { unreadable } from '../failure.ts'
import { attributeOf, scanXml } from './xml.ts'

/** The meaning of a number of a cell by its format; null for a plain number. */
export type NumberKind = 'date' | 'datetime' | 'time' | 'duration' | null

/** More than spreadsheets let a workbook have. */
export const STYLES_MAX = 65_536
/** Formats that have a number only (ECMA-376, 18.8.30), East Asian locales included. */
const DATES = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58])
const BUILT_IN = new Map<number, NumberKind>([
  ...[...DATES].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 32, 33, 45, 47, 55, 56].map((id) => [id, 'time'] as const),
  [22, 'datetime'],
  [46, 'duration'],
])
/** Text in quotes, escaped characters, characters that fill or leave a space, colours, conditions and locales. */
const LITERAL = /"[^"]*"?|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi
const GENERAL = /general|e[+-]/gi

/** The kinds of the numbers of cells, by the number of the cell's style. @throws {Refusal} import_failed */
export async function readStyles(chunks: AsyncIterable<Uint8Array>): Promise<readonly NumberKind[]> {
  const own = new Map<number, NumberKind>()
  const formats: number[] = []
  let isCells = false
  const parts = scanXml(chunks, {
    open: (name, tag) => {
      if (name === 'cellXfs') isCells = true
      else if (name === 'numFmt') own.set(numberOf(tag), kindOfFormat(attributeOf(tag, 'formatCode') ?? ''))
      else if (name === 'xf' && isCells) formats.push(numberOf(tag))
      if (own.size > STYLES_MAX || formats.length > STYLES_MAX)
        throw unreadable(`The workbook has more than ${STYLES_MAX} styles.`)
    },
    text: () => undefined,
    close: (name) => {
      if (name === 'cellXfs') isCells = false
    },
  })
  for await (const _ of parts);
  return formats.map((id) => kindOfNumber(id, own))
}

/** The kind of the numbers that have a format by its number. @param own the formats of the workbook */
export function kindOfNumber(id: number, own: ReadonlyMap<number, NumberKind>): NumberKind {
  return own.get(id) ?? (own.has(id) ? null : (BUILT_IN.get(id) ?? null))
}

/** The kind of the positive numbers of a format such as `dd.mm.yyyy hh:mm`. */
export function kindOfFormat(code: string): NumberKind {
  const [first = ''] = code.replaceAll(LITERAL, '').replaceAll(GENERAL, '').toLowerCase().split(';')
  if (/\[(?:h+|m+|s+)\]/.test(first)) return 'duration'
  const hasTime = /[hs]|am\/pm|a\/p/.test(first)
  const hasDate = /[yd]/.test(first) || (/m/.test(first) && !hasTime)
  if (hasDate) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : null
}

function numberOf(tag: string): number {
  return Number(attributeOf(tag, 'numFmtId') ?? 0)
}
