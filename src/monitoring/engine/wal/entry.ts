import type { Delivery, Round, SampleSeries, Value } from '../../../domain/delivery.ts'
import type { JobRules } from '../../../domain/job-rules.ts'
import type { Event } from '../../jobs/actor.ts'

/** What the journal remembers of one accepted event. `jobId` 0 stands for all jobs. */
export type Entry = {
  readonly jobId: number
  readonly at: number
  readonly event: Event | { readonly kind: 'forget' }
}

/** A delivery to each of the jobs of a round, all of which were accepted. */
export type RoundEntry = {
  readonly jobId: 0
  readonly at: number
  readonly event: { readonly kind: 'round'; readonly round: Round }
}

/** The JSON text of an entry, as `docs/architecture/formats/wal.md` describes it. */
export function encodeEntry({ jobId, at, event }: Entry | RoundEntry): string {
  switch (event.kind) {
    case 'deliver':
      return JSON.stringify([jobId, at, 'd', ...deliveryCells(event.delivery)])
    case 'run':
      return JSON.stringify([
        jobId,
        at,
        'r',
        event.run.key,
        gapsOf(event.run.at),
        event.run.values.map(written),
      ])
    case 'round':
      return JSON.stringify([jobId, at, 'v', ...roundCells(event.round)])
    case 'configure':
      return JSON.stringify([jobId, at, 'c', event.rules])
    case 'wake':
      return JSON.stringify([jobId, at, 'w'])
    case 'deaf':
      return JSON.stringify([jobId, at, 'x', ...gapCells(event)])
    case 'clock':
      return JSON.stringify([jobId, at, 'k', event.byMs])
    case 'forget':
      return JSON.stringify([jobId, at, 'f'])
  }
}

/** A Durable Object takes texts of less than 2 MB: this many UTF-16 units are less than that in UTF-8. */
const ROW_MAX_LENGTH = 512 * 1024

/** Texts of entries as journal rows, in their order, as few as their length allows. */
export function rowsOf(texts: readonly string[]): readonly string[] {
  const rows: string[] = []
  let from = 0
  let length = 0
  for (let index = 0; index < texts.length; index++) {
    const more = texts[index]?.length ?? 0
    if (index > from && length + more > ROW_MAX_LENGTH) {
      rows.push(`[${texts.slice(from, index).join(',')}]`)
      from = index
      length = 0
    }
    length += more
  }
  rows.push(`[${texts.slice(from).join(',')}]`)
  return rows
}

/** The entries of one journal row, in the order in which they were accepted.
 * @throws {SyntaxError} when the row is not what `encodeEntry` wrote */
export function decodeEntries(text: string): (Entry | RoundEntry)[] {
  return (JSON.parse(text) as Cells[]).map(decodeEntry)
}

type Cells = readonly [jobId: number, at: number, kind: string, ...rest: unknown[]]

function decodeEntry([jobId, at, kind, ...rest]: Cells): Entry | RoundEntry {
  switch (kind) {
    case 'd':
      return { jobId, at, event: { kind: 'deliver', delivery: deliveryOf(rest) } }
    case 'r':
      return { jobId, at, event: { kind: 'run', run: runOf(rest) } }
    case 'v':
      return { jobId: 0, at, event: { kind: 'round', round: roundOf(rest) } }
    case 'c':
      return { jobId, at, event: { kind: 'configure', jobId, rules: rest[0] as JobRules } }
    case 'w':
      return { jobId, at, event: { kind: 'wake' } }
    case 'x':
      return { jobId, at, event: gapOf(rest) }
    case 'k':
      return { jobId, at, event: { kind: 'clock', byMs: Number(rest[0]) } }
    case 'f':
      return { jobId, at, event: { kind: 'forget' } }
    default:
      throw new SyntaxError(`The journal holds an entry of the unknown kind ${kind}.`)
  }
}

type GapEvent = Event & { readonly kind: 'deaf' }

/** The rarer cells only where one of them is set. */
function gapCells({ fromAt, toAt, aheadMs = 0, isSent = false }: GapEvent): number[] {
  return aheadMs === 0 && !isSent ? [fromAt, toAt] : [fromAt, toAt, aheadMs, Number(isSent)]
}

function gapOf(cells: readonly unknown[]): GapEvent {
  const [fromAt = 0, toAt = 0, aheadMs = 0, isSent = 0] = cells.map(Number)
  return { kind: 'deaf', fromAt, toAt, aheadMs, isSent: isSent === 1 }
}

/** The first instant and the gaps between them; gaps at the end that are all the same are written once. */
function gapsOf(at: readonly number[]): number[] {
  const gaps = at.map((one, index) => (index === 0 ? one : one - (at[index - 1] ?? 0)))
  let length = gaps.length
  while (length > 2 && gaps[length - 1] === gaps[length - 2]) length--
  gaps.length = length
  return gaps
}

function runOf(cells: readonly unknown[]): SampleSeries {
  const [key, gaps, values] = cells as [string, readonly number[], readonly Value[]]
  const last = gaps.at(-1) ?? 0
  let latest = 0
  const at = values.map((_, index) => (latest += gaps[index] ?? last))
  return { key, at, values }
}

/** The error code only where there is one. */
function roundCells({ key, timestampAt, jobIds, values, errorCode }: Round): unknown[] {
  const hasMinusNought = values.some((value) => Object.is(value, -0))
  const cells = [key, timestampAt, jobIds, hasMinusNought ? values.map(written) : values]
  return errorCode === undefined ? cells : [...cells, errorCode]
}

type RoundCells = [
  key: string,
  timestampAt: number | null,
  jobIds: number[],
  values: Value[],
  errorCode?: number,
]

function roundOf(cells: readonly unknown[]): Round {
  const [key, timestampAt, jobIds, values, errorCode] = cells as RoundCells
  const round = { key, timestampAt, jobIds, values }
  return errorCode === undefined ? round : { ...round, errorCode }
}

/** Values and error code, and the rarer fields only where one of them is set. */
function deliveryCells(delivery: Delivery): unknown[] {
  const { values, errorCode, timestampAt, message, ttlMs, runId, signal } = delivery
  const plain = timestampAt === null && message === null && ttlMs === null && runId === null
  if (plain && signal === 'result') return [exactly(values), errorCode]
  return [exactly(values), errorCode, timestampAt, message, ttlMs, runId, signal]
}

/** JSON has a minus zero, which `JSON.parse` reads and `JSON.stringify` does not write by itself. */
const MINUS_ZERO = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('-0')

const written = (value: Value): unknown => (Object.is(value, -0) ? MINUS_ZERO : value)

/** The same values, so that they are read as they are; hardly ever others than those that were given. */
function exactly(values: Delivery['values']): unknown {
  for (const key in values) {
    if (!Object.is(values[key], -0)) continue
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(value)]))
  }
  return values
}

function deliveryOf(cells: readonly unknown[]): Delivery {
  const [
    values,
    errorCode,
    timestampAt = null,
    message = null,
    ttlMs = null,
    runId = null,
    signal = 'result',
  ] = cells
  return {
    values: values as Record<string, Value>,
    errorCode: errorCode as number | null,
    timestampAt: timestampAt as number | null,
    message: message as string | null,
    ttlMs: ttlMs as number | null,
    runId: runId as string | null,
    signal: signal as Delivery['signal'],
  }
}
