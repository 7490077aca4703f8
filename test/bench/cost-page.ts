import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names of the figures of an operation, in the order of the columns of the page. */
const FIGURES = [
  'workerRequests',
  'jobCalls',
  'otherCalls',
  'alarms',
  'd1Calls',
  'd1RowsRead',
  'd1RowsWritten',
  'objectRowsRead',
  'objectRowsWritten',
  'setAlarms',
  'dollars',
] as const
const EXACT_BELOW = 10
type Name = (typeof FIGURES)[number]

/** A figure, and the most by which rounding changed it. */
export type Figure = { readonly value: number; readonly rounding: number }
export type Figures = Readonly<Record<Name, Figure>>

/** The text of the page of the cost on Workers. */
export const costPage = readFileSync(join(import.meta.dir, '../../docs/workers-cost.md'), 'utf8')

/** The figures of each operation of the page. */
export function costsOf(page: string): ReadonlyMap<string, Figures> {
  const [, ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.split('|').length === 12)
  return new Map(
    rows.map((row) => {
      const [, operation = '', ...cells] = row.split('|').map((cell) => cell.trim())
      const texts = cells.flatMap((cell) => cell.split(', '))
      const figures = FIGURES.map((name, index) => [name, figureOf(texts[index] ?? '')] as const)
      return [operation, Object.fromEntries(figures) as Record<Name, Figure>]
    }),
  )
}

function figureOf(text: string): Figure {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) throw new RangeError(`"${text}" is not a figure.`)
  const decimals = text.split('.')[1]?.length ?? 0
  // Operations have few whole calls and rows: these are not rounded.
  const isWhole = decimals === 0 && value < EXACT_BELOW
  return { value, rounding: isWhole ? 0 : 0.5 * 10 ** -decimals }
}
