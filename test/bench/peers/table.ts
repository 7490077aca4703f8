/** What one server achieved; the text stands in the table, the value is compared. */
export type Cell = { readonly value: number; readonly text: string }

export type Bar =
  /** Tidemark's value as a share of VictoriaMetrics'. */
  | { readonly is: 'ratio'; readonly atLeast?: number; readonly atMost?: number }
  /** Tidemark's value itself. */
  | { readonly is: 'value'; readonly atLeast?: number; readonly atMost?: number }

/** One thing that was measured, on everybody who can do it. */
export type Row = {
  readonly measure: string
  readonly better: 'more' | 'less'
  readonly cells: ReadonlyMap<string, Cell>
  readonly bar?: Bar
}

export type Part = { readonly title: string; readonly explained: string; readonly rows: readonly Row[] }

const OURS = 'Tidemark'
const YARDSTICK = 'VictoriaMetrics'

export function cell(value: number, digits: number, unit = ''): Cell {
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return { value, text: `${text}${unit}` }
}

/** All parts as one Markdown table, then what its rows mean. */
export function markdownOf(parts: readonly Part[], peers: readonly string[]): string {
  const columns = ['', OURS, ...peers, 'to the strongest peer', 'bar']
  const lines = [
    columns,
    columns.map((_, index) => (index === 0 ? '---' : '---:')),
    ...parts.flatMap(({ title, rows }) => [
      [`**${title}**`, ...columns.slice(1).map(() => '')],
      ...rows.map((row) => [
        row.measure,
        ...[OURS, ...peers].map((name) => row.cells.get(name)?.text ?? '–'),
        strongest(row, peers),
        verdict(row),
      ]),
    ]),
  ]
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  return `${table}\n\n${parts.map(({ title, explained }) => `- **${title}**: ${explained}`).join('\n')}\n`
}

/** Our value as a multiple of the best among the peers'. */
function strongest({ cells, better }: Row, peers: readonly string[]): string {
  const ours = cells.get(OURS)
  const sign = better === 'more' ? -1 : 1
  const [best] = peers
    .flatMap((name) => (cells.has(name) ? [{ name, value: cells.get(name)?.value ?? 0 }] : []))
    .toSorted((a, b) => sign * (a.value - b.value))
  if (!ours || !best || best.value === 0) return '–'
  return `${multiple(ours.value / best.value)} ${best.name}`
}

function verdict({ cells, bar }: Row): string {
  if (!bar) return ''
  const limit = limitOf(bar)
  const ours = cells.get(OURS)?.value
  const theirs = bar.is === 'ratio' ? (cells.get(YARDSTICK)?.value ?? 0) : 1
  if (ours === undefined || theirs === 0) return `${limit}: not measured`
  const value = ours / theirs
  const shown = bar.is === 'ratio' ? `${multiple(value)}, ` : ''
  return `${limit}: ${shown}${isMet(bar, value) ? 'met' : '**missed**'}`
}

function isMet({ atLeast = -Infinity, atMost = Infinity }: Bar, value: number): boolean {
  return value >= atLeast && value <= atMost
}

function limitOf({ is, atLeast, atMost }: Bar): string {
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  return is === 'ratio' ? `${limit} × ${YARDSTICK}` : limit
}

function multiple(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} ×`
}
