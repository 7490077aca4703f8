import type { Cell, Column } from '../../domain/table.ts'
import { timeFormat } from '../../lib/time.ts'
import { isOfInstants } from '../filters/expression.ts'
import type { Expression } from '../filters/expression.ts'
import { bucketStart } from './buckets.ts'
import type { Plan } from './plan.ts'

/** How the cells of a result are answered. */
export type ResultReader = {
  readonly columns: readonly Column[]
  readonly row: (cells: readonly Cell[]) => Cell[]
}

/** A column of an answer, with the expression that it is computed from. */
type Answered = Column & { readonly subject: Expression | null }

type CellReader = (cell: Cell) => Cell

/** The columns of a plan, and the function that turns a row of its statement into a row of the answer.
 * @param timeZone the zone whose offset instants have */
export function resultReader(plan: Plan, timeZone: string): ResultReader {
  const instant = instantReader(timeZone)
  const readerOf = ({ type, subject }: Answered): CellReader => {
    // Some dialects have no type for it.
    if (type === 'boolean') return (cell) => (cell === null ? null : Boolean(Number(cell)))
    if (type !== 'datetime') return same
    return subject && isOfInstants(subject) ? (cell) => instant(asUtc(cell)) : instant
  }
  const outputs =
    plan.kind === 'rows'
      ? plan.columns.map(readerOf)
      : [
          ...plan.keys.map((key) => (key.bucket ? startReader(bucketStart(key.bucket)) : readerOf(key))),
          ...plan.aggregates.map(readerOf),
        ]
  const columns = plan.kind === 'rows' ? plan.columns : [...plan.keys, ...plan.aggregates]
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    row: (cells) => outputs.map((read, at) => read(cells[at] ?? null)),
  }
}

const same: CellReader = (cell) => cell

function startReader(start: (key: number) => string): CellReader {
  return (cell) => (cell === null ? null : start(Number(cell)))
}

const asUtc: CellReader = (cell) => (typeof cell === 'string' && !cell.endsWith('Z') ? `${cell}Z` : cell)

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?Z$/
const MINUTE_CHARS = '2026-01-01T00:00'.length
const WHOLE_SECONDS = /^.{16}:[0-5]\dZ$/
const LOCAL_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d*?)0*$/
/** Before zones had whole minutes their offsets had seconds, which ISO 8601 has not: such instants are in UTC. */
const OFFSET = /[+-]\d\d:\d\d$/

/** The function that writes an instant with the offset of a zone, and all of its digits but zeros at the end. A time without a
 * zone stays without one: its source has it on a clock that is not known. */
export function instantReader(timeZone: string): CellReader {
  const format = timeFormat(timeZone)
  // Most instants follow each other closely. Since 1970 all instants of a minute have one offset, and differ in their seconds alone.
  let minute = { utc: ' ', local: '', offset: '' }
  return (cell) => {
    if (typeof cell !== 'string') return cell
    if (cell.startsWith(minute.utc) && WHOLE_SECONDS.test(cell))
      return minute.local + cell.slice(MINUTE_CHARS, MINUTE_CHARS + ':00'.length) + minute.offset
    const [, seconds, digits = ''] = INSTANT.exec(cell) ?? []
    if (seconds === undefined)
      return cell.replace(LOCAL_TIME, (_, time: string, rest: string) => time + dotted(rest))
    const at = Date.parse(`${seconds}Z`)
    if (Number.isNaN(at)) return cell
    const text = format(at)
    const offset = OFFSET.exec(text)?.[0]
    if (offset === undefined) return `${seconds}${dotted(digits)}+00:00`
    if (at >= 0) minute = { utc: cell.slice(0, MINUTE_CHARS), local: text.slice(0, MINUTE_CHARS), offset }
    return digits === '' ? text : `${text.slice(0, -offset.length)}.${digits}${offset}`
  }
}

const dotted = (digits: string) => (digits === '' ? '' : `.${digits}`)
