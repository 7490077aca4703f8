import type { Invocation, Outcome } from './action.ts'

const COLOURS: Readonly<Record<string, string>> = {
  major: '31',
  failed: '31',
  open: '31',
  minor: '33',
  warning: '33',
  ok: '32',
  succeeded: '32',
}
const GAP = '  '
/** Characters that move the cursor, set colours or turn the direction of the text. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** The response of the service with `--json`, else the text. */
export function outcome<Answer>(
  { wantsJson }: Invocation,
  answer: Answer,
  text: (answer: Answer) => string,
): Outcome {
  return { text: wantsJson ? `${JSON.stringify(answer, null, 2)}\n` : text(answer) }
}

/** Rows below a heading, with columns of equal width; `empty` where there is no row. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly (string | number | boolean | null | undefined)[])[],
  empty: string,
): string {
  if (rows.length === 0) return `${empty}\n`
  const cells = [heading, ...rows].map((row) => row.map((cell) => printable((cell ?? '–').toString())))
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  return cells
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** A cell in one line. A message of a sender does not control the terminal of its reader. */
function printable(cell: string): string {
  return cell.replaceAll(/\s+/g, ' ').replaceAll(CONTROLS, '\ufffd')
}

function padded(cell: string, columns: number): string {
  return coloured(cell) + ' '.repeat(columns - width(cell))
}

function width(text: string): number {
  return Bun.stringWidth(text)
}

/** A state in its colour, on a terminal and without NO_COLOR (https://no-color.org). */
function coloured(cell: string): string {
  const colour = COLOURS[cell]
  const isPlain = !process.stdout.isTTY || (process.env['NO_COLOR'] ?? '') !== ''
  return colour === undefined || isPlain ? cell : `\u001b[${colour}m${cell}\u001b[0m`
}
