import type { Delivery, Round, SampleSeries, Value } from '../../../domain/delivery.ts'
import type { JobRules } from '../../../domain/job-rules.ts'
import type { Event } from '../../jobs/actor.ts'

/** One accepted event in the WAL. `jobId` 0 stands for all jobs. */
export type Entry = {
  readonly jobId: number
  readonly at: number
  readonly event: Event | { readonly kind: 'forget' }
}

/** A row whose values were all accepted. */
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
    case 'bands':
      return JSON.stringify([jobId, at, 'b', event.revision, event.bands])
    case 'ingest gap':
      return JSON.stringify([jobId, at, 'x', ...gapCells(event)])
    case 'clock':
      return JSON.stringify([jobId, at, 'k', event.byMs])
    case 'forget':
      return JSON.stringify([jobId, at, 'f'])
  }
}

/** A Durable Object takes texts of less than 2 MB: this many UTF-16 units are less than that in UTF-8. */
const ROW_MAX_LENGTH = 512 * 1024

/** Packs texts of entries into WAL rows, in order, as few as their length allows. */
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

/** The entries of one WAL row, in the order in which they were accepted.
 * @throws {SyntaxError} when `encodeEntry` did not write the row */
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
    case 'b':
      return { jobId, at, event: bandsOf(rest) }
    case 'x':
      return { jobId, at, event: gapOf(rest) }
    case 'k':
      return { jobId, at, event: { kind: 'clock', byMs: Number(rest[0]) } }
    case 'f':
      return { jobId, at, event: { kind: 'forget' } }
    default:
      throw new SyntaxError(`The WAL has an entry of the unknown kind ${kind}.`)
  }
}

type BandsEvent = Event & { readonly kind: 'bands' }

function bandsOf([revision, bands]: readonly unknown[]): BandsEvent {
  return { kind: 'bands', revision: Number(revision), bands: bands as BandsEvent['bands'] }
}

type GapEvent = Event & { readonly kind: 'ingest gap' }

/** The cells that are rarely set are left out where none of them is. */
function gapCells({ fromAt, toAt, aheadMs = 0, isSent = false }: GapEvent): number[] {
  return aheadMs === 0 && !isSent ? [fromAt, toAt] : [fromAt, toAt, aheadMs, Number(isSent)]
}

function gapOf(cells: readonly unknown[]): GapEvent {
  const [fromAt = 0, toAt = 0, aheadMs = 0, isSent = 0] = cells.map(Number)
  return { kind: 'ingest gap', fromAt, toAt, aheadMs, isSent: isSent === 1 }
}

/** The first instant and the gaps between the others; equal gaps at the end are written once. */
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

/** An absent error code is left out. */
function roundCells({ key, timestampAt, jobIds, values, errorCode }: Round): unknown[] {
  const hasMinusZero = values.some((value) => Object.is(value, -0))
  const cells = [key, timestampAt, jobIds, hasMinusZero ? values.map(written) : values]
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

/** Values and error code; the fields that are rarely set are left out where none of them is. */
function deliveryCells(delivery: Delivery): unknown[] {
  const { values, errorCode, timestampAt, message, ttlMs, runId, signal } = delivery
  const plain = timestampAt === null && message === null && ttlMs === null && runId === null
  if (plain && signal === 'result') return [exactly(values), errorCode]
  return [exactly(values), errorCode, timestampAt, message, ttlMs, runId, signal]
}

/** `JSON.parse` reads minus zero, but `JSON.stringify` does not write it. */
const MINUS_ZERO = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('-0')

const written = (value: Value): unknown => (Object.is(value, -0) ? MINUS_ZERO : value)

/** The values with minus zero as JSON can read it: the same object, unless one of them is minus zero. */
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
